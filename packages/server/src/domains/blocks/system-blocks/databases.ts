import { systemBlock } from './define-block.ts'
import { block, choice, definition, either, flag, integer, map, path, properties, required, secret, text, textMap } from './fields.ts'

const snowflakeVersion = '0.27.3'
const sqlalchemyVersion = '0.4.0'
const fetchSize = integer('Rows per fetch.', { default: 1 })

const databricksCredentials = systemBlock({
  slug: 'databricks-credentials',
  name: 'Databricks Credentials',
  title: 'DatabricksCredentials',
  description: 'Credentials for Databricks.',
  checksum: '58bae1446ee7a01ec90d15cf756f8acc221329e3b3580b077b508ff0f2425e35',
  version: '0.2.3',
  fields: {
    databricks_instance: required(text('The host of the Databricks workspace.')),
    token: required(secret('A token for that workspace.')),
    client_kwargs: map('Additional options of the HTTP client.'),
  },
})

const snowflakeCredentials = systemBlock({
  slug: 'snowflake-credentials',
  name: 'Snowflake Credentials',
  title: 'SnowflakeCredentials',
  description: 'Credentials for Snowflake, with the authentication method.',
  checksum: 'b24edfb413527c951cb2a8b4b4c16aec096523f871d941889e29ac2e6e92e036',
  version: snowflakeVersion,
  fields: {
    account: required(text('The name of the account.')),
    user: required(text('The user name.')),
    password: secret('The password.'),
    private_key: secret('A private key in PEM.'),
    private_key_path: path('A file with a private key.'),
    private_key_passphrase: secret('The password of the private key.'),
    authenticator: choice(
      'The authentication method.',
      ['snowflake', 'snowflake_jwt', 'externalbrowser', 'okta_endpoint', 'oauth', 'username_password_mfa'],
      { default: 'snowflake' },
    ),
    token: secret('The token, for the authentication method oauth.'),
    endpoint: text('The URL of Okta, for the authentication method okta_endpoint.'),
    role: text('The role.'),
    autocommit: flag('Commit each statement automatically.'),
  },
})

export const snowflakeConnector = systemBlock({
  slug: 'snowflake-connector',
  name: 'Snowflake Connector',
  title: 'SnowflakeConnector',
  description: 'Queries a Snowflake warehouse.',
  checksum: 'dd0d36d69bbe0d44870fd754f3c00754e37e3f52209590083eaee4c585ce0bd0',
  version: snowflakeVersion,
  fields: {
    credentials: required(block('The credentials to use.', [snowflakeCredentials])),
    database: required(text('The database to use.')),
    warehouse: required(text('The warehouse to use.')),
    schema: required(text('The schema to use.')),
    fetch_size: fetchSize,
    poll_frequency_s: integer('Seconds between two polls of a long query.', { title: 'Poll Frequency [seconds]', default: 1 }),
  },
})

const drivers = {
  AsyncDriver: { title: 'AsyncDriver', enum: ['postgresql+asyncpg', 'sqlite+aiosqlite', 'mysql+asyncmy', 'mysql+aiomysql'] },
  SyncDriver: {
    title: 'SyncDriver',
    enum: [
      ...['psycopg2', 'pg8000', 'psycopg2cffi', 'pypostgresql', 'pygresql'].map((name) => `postgresql+${name}`),
      ...['mysqldb', 'pymysql', 'mysqlconnector', 'cymysql', 'oursql', 'pyodbc'].map((name) => `mysql+${name}`),
      ...['sqlite+pysqlite', 'sqlite+pysqlcipher', 'oracle+cx_oracle', 'mssql+pyodbc', 'mssql+mxodbc', 'mssql+pymssql'],
    ],
  },
}
const driver = either('The dialect and driver of SQLAlchemy.', [definition('AsyncDriver'), definition('SyncDriver'), { type: 'string' }])
const database = text('The name of the database.')
const username = text('The user name.')
const password = secret('The password.')
const host = text('The host of the database.')
const port = text('The port of the database.')
const query = textMap('Query parameters of the URL.')
const connectArguments = (title: string) => map('Options of the driver.', { title })

export const databaseCredentials = systemBlock({
  slug: 'database-credentials',
  name: 'Database Credentials',
  title: 'DatabaseCredentials',
  description: 'Connection and credentials of a database for SQLAlchemy.',
  checksum: '76d1ccbf0ab2038fea77e9689b91a7c8b6398e080e95d9303f65a93a4c03162e',
  version: sqlalchemyVersion,
  fields: {
    driver,
    username,
    password,
    database,
    host,
    port,
    query,
    url: text('The full URL instead of its components, for third-party dialects.', { minLength: 1, maxLength: 65_536, format: 'uri' }),
    connect_args: connectArguments('Connect Args'),
  },
  definitions: drivers,
})

export const sqlalchemyConnector = systemBlock({
  slug: 'sqlalchemy-connector',
  name: 'SQLAlchemy Connector',
  title: 'SqlAlchemyConnector',
  description: 'Queries a database with SQLAlchemy.',
  checksum: '01e6c0bdaac125860811b201f5a5e98ffefd5f8a49f1398b6996aec362643acc',
  version: sqlalchemyVersion,
  fields: {
    connection_info: required(
      either(
        'The connection: separate components or one URL.',
        [definition('ConnectionComponents'), { type: 'string', minLength: 1, maxLength: 65_536, format: 'uri' }],
        {},
        { secrets: ['.password'] },
      ),
    ),
    connect_args: connectArguments('Additional Connection Arguments'),
    fetch_size: fetchSize,
  },
  definitions: {
    ...drivers,
    ConnectionComponents: {
      title: 'ConnectionComponents',
      description: 'Connection and credentials of a database.',
      type: 'object',
      properties: properties({ driver, database, username, password, host, port, query }),
      required: ['driver', 'database'],
    },
  },
})

export const databaseBlocks = [databricksCredentials, snowflakeCredentials, snowflakeConnector, databaseCredentials, sqlalchemyConnector]
