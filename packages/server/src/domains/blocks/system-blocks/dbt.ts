import { shellFields } from './basic.ts'
import { databaseCredentials, snowflakeConnector, sqlalchemyConnector } from './databases.ts'
import { systemBlock } from './define-block.ts'
import { block, choice, flag, integer, map, path, required, secret, text } from './fields.ts'
import { gcpCredentials } from './google.ts'

const version = '0.4.1'
const extras = map('More settings of dbt, by the names that dbt gives them.')
const overrides = flag('Whether the fields here win over those in the extras and the credentials.', {
  title: 'Allow Field Overrides',
  default: false,
})
const schema = text('The schema that dbt builds into; at BigQuery, the dataset.')
const threads = integer('How many things dbt builds at the same time, at most.', { default: 4 })
const typeOf = (type: string) => choice('The kind of warehouse.', [type], { default: type })

const targetConfigs = systemBlock({
  slug: 'dbt-cli-target-configs',
  name: 'dbt CLI Target Configs',
  title: 'TargetConfigs',
  description: 'Where dbt builds, for any kind of warehouse.',
  checksum: '85f7476977e725617af89930889b843147320b2df37df911e24806dd6dacc870',
  version,
  fields: { extras, allow_field_overrides: overrides, type: required(text('The kind of warehouse.')), schema: required(schema), threads },
})

const bigQueryTargetConfigs = systemBlock({
  slug: 'dbt-cli-bigquery-target-configs',
  name: 'dbt CLI BigQuery Target Configs',
  title: 'BigQueryTargetConfigs',
  description: 'Where dbt builds at BigQuery.',
  checksum: '842c5dc7d4d1557eedff36982eafeda7b0803915942f72224a7f627efdbe5ff5',
  version,
  fields: {
    extras,
    allow_field_overrides: overrides,
    type: typeOf('bigquery'),
    schema: required(schema),
    threads,
    project: text('The project to build in.'),
    credentials: block('Who signs in.', [gcpCredentials]),
  },
})

const postgresTargetConfigs = systemBlock({
  slug: 'dbt-cli-postgres-target-configs',
  name: 'dbt CLI Postgres Target Configs',
  title: 'PostgresTargetConfigs',
  description: 'Where dbt builds in PostgreSQL.',
  checksum: '1552a2d5c102961df4082329f39c10b8a51e26ee687148efd6d71ce8be8850c0',
  version,
  fields: {
    extras,
    allow_field_overrides: overrides,
    type: typeOf('postgres'),
    schema: required(schema),
    threads,
    credentials: required(block('Where the database is and who signs in.', [sqlalchemyConnector, databaseCredentials])),
  },
})

const snowflakeTargetConfigs = systemBlock({
  slug: 'dbt-cli-snowflake-target-configs',
  name: 'dbt CLI Snowflake Target Configs',
  title: 'SnowflakeTargetConfigs',
  description: 'Where dbt builds at Snowflake.',
  checksum: '1e5be296bb63d7e2b04f0e9b99543db12521af269399d10e2bc290da4244a575',
  version,
  fields: {
    extras,
    allow_field_overrides: overrides,
    type: typeOf('snowflake'),
    schema,
    threads,
    connector: required(block('The warehouse to build in.', [snowflakeConnector])),
  },
})

const globalConfigs = systemBlock({
  slug: 'dbt-cli-global-configs',
  name: 'dbt CLI Global Configs',
  title: 'GlobalConfigs',
  description: 'How dbt behaves, wherever it builds.',
  checksum: '63df9d18a1aafde1cc8330cd49f81f6600b4ce6db92955973bbf341cc86e916d',
  version,
  fields: {
    extras,
    allow_field_overrides: overrides,
    send_anonymous_usage_stats: flag('Whether dbt tells its makers how it is used.'),
    use_colors: flag('Whether the output is coloured.'),
    partial_parse: flag('Whether dbt parses only what has changed since.'),
    printer_width: integer('How many characters a line of output has.'),
    write_json: flag('Whether dbt writes JSON about what it did.'),
    warn_error: flag('Whether warnings count as errors.'),
    log_format: text('The form of the log, such as json.'),
    debug: flag('Whether the log tells everything.'),
    version_check: flag('Whether a project for another version of dbt is refused.'),
    fail_fast: flag('Whether the first failure ends it all.'),
    use_experimental_parser: flag('Whether the newest parser is used, ready or not.'),
    static_parser: flag('Whether the static parser is used.'),
  },
})

const profile = systemBlock({
  slug: 'dbt-cli-profile',
  name: 'dbt CLI Profile',
  title: 'DbtCliProfile',
  description: 'A profile for the command line of dbt.',
  checksum: 'f55b0f96cb9e1cf2f508bb882b25d9246b351be8b0ad18140a73281674a40d6d',
  version,
  fields: {
    name: required(text('The name of the profile.')),
    target: required(text('The target that is used unless another is named.')),
    target_configs: required(block('Where dbt builds.', [snowflakeTargetConfigs, bigQueryTargetConfigs, postgresTargetConfigs, targetConfigs])),
    global_configs: block('How dbt behaves.', [globalConfigs]),
  },
})

const coreOperation = systemBlock({
  slug: 'dbt-core-operation',
  name: 'dbt Core Operation',
  title: 'DbtCoreOperation',
  description: 'Runs commands of dbt, one after the other.',
  checksum: '0f685bc693353f66d1fc83687c8af67511feba052b5343506033141c9a2441c7',
  version,
  fields: {
    ...shellFields(),
    profiles_dir: path('The folder that profiles.yml is in.'),
    project_dir: path('The folder that dbt_project.yml is in; the current one or one above it unless given.'),
    overwrite_profiles: flag('Whether a profiles.yml that is there already is replaced.', { default: false }),
    dbt_cli_profile: block('The profile to write to profiles.yml.', [profile]),
  },
})

const cloudCredentials = systemBlock({
  slug: 'dbt-cloud-credentials',
  name: 'dbt Cloud Credentials',
  title: 'DbtCloudCredentials',
  description: 'Who signs in to dbt Cloud.',
  checksum: '0e1b2e94e09041e7d732822354503e87b99ddb31422d9d2c83c671be249aa231',
  version,
  fields: {
    api_key: required(secret('The API key of the account.', { title: 'API Key' })),
    account_id: required(integer('The number of the account.', { title: 'Account ID' })),
    domain: text('The host of your dbt Cloud.', { default: 'cloud.getdbt.com' }),
  },
})

export const dbtBlocks = [
  targetConfigs,
  bigQueryTargetConfigs,
  postgresTargetConfigs,
  snowflakeTargetConfigs,
  globalConfigs,
  profile,
  coreOperation,
  cloudCredentials,
]
