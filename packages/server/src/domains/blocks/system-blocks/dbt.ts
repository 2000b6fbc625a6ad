import { shellFields } from './basic.ts'
import { databaseCredentials, snowflakeConnector, sqlalchemyConnector } from './databases.ts'
import { systemBlock } from './define-block.ts'
import { block, choice, flag, integer, map, path, required, secret, text } from './fields.ts'
import { gcpCredentials } from './google.ts'

const version = '0.4.1'
const extras = map('Additional dbt settings, by their dbt names.')
const overrides = flag('Let these fields override the extras and the credentials.', {
  title: 'Allow Field Overrides',
  default: false,
})
const schema = text('The target schema; for BigQuery, the dataset.')
const threads = integer('Maximum number of parallel dbt threads.', { default: 4 })
const typeOf = (type: string) => choice('The type of warehouse.', [type], { default: type })

const targetConfigs = systemBlock({
  slug: 'dbt-cli-target-configs',
  name: 'dbt CLI Target Configs',
  title: 'TargetConfigs',
  description: 'The dbt target for any type of warehouse.',
  checksum: '85f7476977e725617af89930889b843147320b2df37df911e24806dd6dacc870',
  version,
  fields: { extras, allow_field_overrides: overrides, type: required(text('The type of warehouse.')), schema: required(schema), threads },
})

const bigQueryTargetConfigs = systemBlock({
  slug: 'dbt-cli-bigquery-target-configs',
  name: 'dbt CLI BigQuery Target Configs',
  title: 'BigQueryTargetConfigs',
  description: 'The dbt target for BigQuery.',
  checksum: '842c5dc7d4d1557eedff36982eafeda7b0803915942f72224a7f627efdbe5ff5',
  version,
  fields: {
    extras,
    allow_field_overrides: overrides,
    type: typeOf('bigquery'),
    schema: required(schema),
    threads,
    project: text('The target project.'),
    credentials: block('The credentials to use.', [gcpCredentials]),
  },
})

const postgresTargetConfigs = systemBlock({
  slug: 'dbt-cli-postgres-target-configs',
  name: 'dbt CLI Postgres Target Configs',
  title: 'PostgresTargetConfigs',
  description: 'The dbt target for PostgreSQL.',
  checksum: '1552a2d5c102961df4082329f39c10b8a51e26ee687148efd6d71ce8be8850c0',
  version,
  fields: {
    extras,
    allow_field_overrides: overrides,
    type: typeOf('postgres'),
    schema: required(schema),
    threads,
    credentials: required(block('Connection and credentials of the database.', [sqlalchemyConnector, databaseCredentials])),
  },
})

const snowflakeTargetConfigs = systemBlock({
  slug: 'dbt-cli-snowflake-target-configs',
  name: 'dbt CLI Snowflake Target Configs',
  title: 'SnowflakeTargetConfigs',
  description: 'The dbt target for Snowflake.',
  checksum: '1e5be296bb63d7e2b04f0e9b99543db12521af269399d10e2bc290da4244a575',
  version,
  fields: {
    extras,
    allow_field_overrides: overrides,
    type: typeOf('snowflake'),
    schema,
    threads,
    connector: required(block('The target warehouse.', [snowflakeConnector])),
  },
})

const globalConfigs = systemBlock({
  slug: 'dbt-cli-global-configs',
  name: 'dbt CLI Global Configs',
  title: 'GlobalConfigs',
  description: 'Global dbt settings for all targets.',
  checksum: '63df9d18a1aafde1cc8330cd49f81f6600b4ce6db92955973bbf341cc86e916d',
  version,
  fields: {
    extras,
    allow_field_overrides: overrides,
    send_anonymous_usage_stats: flag('Send anonymous usage statistics to dbt.'),
    use_colors: flag('Use colors in the output.'),
    partial_parse: flag('Parse changed files only.'),
    printer_width: integer('Characters per output line.'),
    write_json: flag('Write JSON artifacts.'),
    warn_error: flag('Treat warnings as errors.'),
    log_format: text('The log format, such as json.'),
    debug: flag('Write a debug log.'),
    version_check: flag('Reject projects for another dbt version.'),
    fail_fast: flag('Stop at the first failure.'),
    use_experimental_parser: flag('Use the experimental parser.'),
    static_parser: flag('Use the static parser.'),
  },
})

const profile = systemBlock({
  slug: 'dbt-cli-profile',
  name: 'dbt CLI Profile',
  title: 'DbtCliProfile',
  description: 'A profile for the dbt command line.',
  checksum: 'f55b0f96cb9e1cf2f508bb882b25d9246b351be8b0ad18140a73281674a40d6d',
  version,
  fields: {
    name: required(text('The name of the profile.')),
    target: required(text('The default target.')),
    target_configs: required(block('The dbt target.', [snowflakeTargetConfigs, bigQueryTargetConfigs, postgresTargetConfigs, targetConfigs])),
    global_configs: block('Global dbt settings.', [globalConfigs]),
  },
})

const coreOperation = systemBlock({
  slug: 'dbt-core-operation',
  name: 'dbt Core Operation',
  title: 'DbtCoreOperation',
  description: 'Runs dbt commands in sequence.',
  checksum: '0f685bc693353f66d1fc83687c8af67511feba052b5343506033141c9a2441c7',
  version,
  fields: {
    ...shellFields(),
    profiles_dir: path('The folder with profiles.yml.'),
    project_dir: path('The folder with dbt_project.yml. Default: the working directory or one of its parents.'),
    overwrite_profiles: flag('Overwrite an existing profiles.yml.', { default: false }),
    dbt_cli_profile: block('The profile to write to profiles.yml.', [profile]),
  },
})

const cloudCredentials = systemBlock({
  slug: 'dbt-cloud-credentials',
  name: 'dbt Cloud Credentials',
  title: 'DbtCloudCredentials',
  description: 'Credentials for dbt Cloud.',
  checksum: '0e1b2e94e09041e7d732822354503e87b99ddb31422d9d2c83c671be249aa231',
  version,
  fields: {
    api_key: required(secret('The API key of the account.', { title: 'API Key' })),
    account_id: required(integer('The account id.', { title: 'Account ID' })),
    domain: text('The host of dbt Cloud.', { default: 'cloud.getdbt.com' }),
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
