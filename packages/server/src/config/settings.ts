import { normaliseDatabaseUrl } from './database-url.ts'
import { choice, days, flag, group, integer, interval, optionalInterval, seconds, secretText, text, textList } from './setting.ts'

/** The reference keeps two spellings of most of its settings. */
const api = (name: string) => [`PREFECT_SERVER_${name}`, `PREFECT_API_${name}`]
const eventDuration = (name: string) => [{ duration: `PREFECT_SERVER_EVENTS_${name}` }, { duration: `PREFECT_EVENTS_${name}` }]
const eventLimit = (name: string) => [`PREFECT_SERVER_EVENTS_${name}`, `PREFECT_EVENTS_${name}`]
const durations = (names: string[]) => names.map((duration) => ({ duration }))
const apiService = (service: string) => (name: string) => api(`SERVICES_${service}_${name}`)

/** Names that settings of a service had in earlier versions. */
const formerly = (service: string, name: string) => `MILLRACE_SERVICES_${service}_${name}`

const service = (name: string, referenceNames: (name: string) => string[], everySeconds: number, action: string, formerName?: string) => {
  const former = (key: string) => (formerName === undefined ? [] : [formerly(formerName, key)])
  return {
    enabled: flag(true, `Whether the ${name} service runs.`, { aliases: [...former('ENABLED'), ...referenceNames('ENABLED')] }),
    every_seconds: interval(everySeconds, `How often the ${name} service ${action}.`, {
      aliases: [...former('EVERY_SECONDS'), ...referenceNames('LOOP_SECONDS')],
    }),
  }
}

/** The worker monitor was called foreman, as in the reference. */
const foreman = (name: string) => [formerly('FOREMAN', name), ...api(`SERVICES_FOREMAN_${name}`)]

/** Every setting of the server. Its place here is its place in the environment: `server.api.default_limit` is `MILLRACE_SERVER_API_DEFAULT_LIMIT`. */
export const Settings = group({
  server: group({
    host: text('127.0.0.1', 'The address to listen on.', { minLength: 1, aliases: ['PREFECT_SERVER_API_HOST'] }),
    port: integer(4200, 'The port to listen on; 0 takes any that is free.', { minimum: 0, maximum: 65_535, aliases: ['PREFECT_SERVER_API_PORT'] }),
    allow_anonymous: flag(false, 'Whether a server without a password may listen on an address that other machines reach.'),
    allowed_hosts: textList(
      [],
      'Public host names that a server without a password answers for, beside that of `ui_url`; `*` before one means all below it, alone it means any.',
    ),
    base_path: text('', 'The path below which a proxy shows the whole server, dashboard and API.', {
      pattern: '^(/[^/?#\\s]+)*$',
      form: 'a path such as `/millrace`',
      normalise: (path) => (path.startsWith('/') ? path : `/${path}`).replace(/\/+$/, ''),
    }),
    ui_url: text('', 'The address at which people see the dashboard, for links in messages; without it, the address listened on.', {
      pattern: '^(https?://[^\\s?#]+)?$',
      form: 'an address such as `https://millrace.example.com`',
      normalise: (url) => url.replace(/\/+$/, ''),
      aliases: ['PREFECT_UI_URL'],
    }),
    log_level: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info', 'The least severe message that is logged.', {
      aliases: ['PREFECT_SERVER_LOGGING_LEVEL', 'PREFECT_LOGGING_SERVER_LEVEL'],
      synonyms: { warning: 'warn', critical: 'fatal' },
    }),
    body_limit_bytes: integer(16 * 1024 * 1024, 'The largest request body; a larger one is refused with 413.'),
    body_memory_limit_bytes: integer(
      256 * 1024 * 1024,
      'How much all requests together may hold of bodies and unfinished websocket messages; more is refused with 503.',
    ),
    body_timeout_seconds: interval(10, 'How long a request body may bring nothing before it is refused with 408.'),
    json_depth_limit: integer(100, 'How deep the JSON of a request may be nested.'),
    json_values_limit: integer(500_000, 'How many values the JSON of a request or websocket message may hold, and how many objects and lists.'),
    keep_alive_timeout_seconds: interval(72, 'How long an idle connection is kept; behind a balancer, longer than its own timeout.', {
      aliases: ['PREFECT_SERVER_API_KEEPALIVE_TIMEOUT'],
    }),
    shutdown_delay_seconds: optionalInterval(
      'How long the server goes on answering after SIGTERM while `/ready` is 503, so that balancers notice; none is 5 where something polls `/ready`, else 0.',
      { minimum: 0 },
    ),
    shutdown_grace_seconds: interval(10, 'How long requests in flight may take to end when the server is told to stop.', { minimum: 0 }),
    metrics_enabled: flag(true, 'Whether `/metrics` is served.', { aliases: ['PREFECT_SERVER_METRICS_ENABLED', 'PREFECT_API_ENABLE_METRICS'] }),
    encryption_key: secretText('The key that secrets in the database are encrypted with; without one the server makes and keeps its own.', {
      aliases: ['PREFECT_SERVER_ENCRYPTION_KEY', 'ORION_ENCRYPTION_KEY'],
    }),
    api: group({
      enabled: flag(true, 'Whether this process answers requests; without it only the background services run.'),
      auth_string: secretText('When set, every caller has to show this user and password (HTTP Basic).', {
        pattern: '^[^:]+:.+$',
        form: '`user:password`',
        aliases: ['PREFECT_SERVER_API_AUTH_STRING'],
      }),
      default_limit: integer(200, 'How many objects a list answers with when the request names no limit, and the most it may ask for.', {
        aliases: ['SERVICE_SERVER_API_DEFAULT_LIMIT', 'SERVICE_API_DEFAULT_LIMIT', 'PREFECT_SERVER_API_DEFAULT_LIMIT', 'PREFECT_API_DEFAULT_LIMIT'],
      }),
      csrf_protection_enabled: flag(false, 'Whether requests that change something need a CSRF token.', {
        aliases: ['PREFECT_SERVER_API_CSRF_PROTECTION_ENABLED', 'PREFECT_SERVER_CSRF_PROTECTION_ENABLED'],
      }),
      csrf_token_expiration_seconds: seconds(3600, 'How long a CSRF token is good for.', {
        aliases: durations(['PREFECT_SERVER_API_CSRF_TOKEN_EXPIRATION', 'PREFECT_SERVER_CSRF_TOKEN_EXPIRATION']),
      }),
      cors_allowed_origins: textList([], 'The other origins whose pages may call the API from a browser; `*` is any.', {
        aliases: ['PREFECT_SERVER_API_CORS_ALLOWED_ORIGINS', 'PREFECT_SERVER_CORS_ALLOWED_ORIGINS'],
      }),
      maximum_parameter_bytes: integer(524_288, 'The largest parameters of a run or deployment, as JSON; 0 sets no limit.', {
        minimum: 0,
        aliases: ['PREFECT_SERVER_API_MAX_PARAMETER_SIZE'],
      }),
      websocket_ping_interval_seconds: interval(20, 'How often an open websocket is pinged.', {
        aliases: ['PREFECT_SERVER_API_WEBSOCKET_PING_INTERVAL'],
      }),
      websocket_ping_timeout_seconds: interval(20, 'How long a websocket may leave a ping unanswered before it is closed.', {
        aliases: ['PREFECT_SERVER_API_WEBSOCKET_PING_TIMEOUT'],
      }),
    }),
    schemas: group({
      timeout_seconds: interval(1, 'How long checking a value by a JSON schema of a user may take; then the request is refused with 422.'),
      memory_limit_bytes: integer(134_217_728, 'How much memory each of the two threads that check JSON schemas may take.', { minimum: 33_554_432 }),
      schema_limit_bytes: integer(524_288, 'The largest JSON schema, or base job template, that values are checked by.'),
      value_limit_bytes: integer(2_097_152, 'The largest value that is checked by a JSON schema.'),
      waiting_limit: integer(200, 'How many checks by JSON schemas may wait; more are answered with 503.'),
    }),
  }),

  database: group({
    url: text('sqlite:~/.millrace/millrace.db', 'Where the data is kept.', {
      secret: 'password',
      form: '`sqlite:PATH`, `sqlite::memory:` or `postgres://…`',
      aliases: ['PREFECT_SERVER_DATABASE_CONNECTION_URL', 'PREFECT_API_DATABASE_CONNECTION_URL'],
      normalise: normaliseDatabaseUrl,
    }),
    pool_size: integer(10, 'How many connections one server opens to PostgreSQL, beside the one on which it listens to others.', {
      minimum: 2,
      aliases: ['PREFECT_SERVER_DATABASE_SQLALCHEMY_POOL_SIZE', 'PREFECT_SQLALCHEMY_POOL_SIZE'],
    }),
    connect_timeout_seconds: interval(30, 'How long a start waits for a PostgreSQL server that cannot be reached yet.', { minimum: 0 }),
    statement_timeout_seconds: interval(
      60,
      'How long PostgreSQL works on one statement, other than a migration, before it gives up and the request gets 503.',
      { aliases: api('DATABASE_TIMEOUT') },
    ),
    migrate_on_start: flag(true, 'Whether the server brings the schema up to date when it starts.', { aliases: api('DATABASE_MIGRATE_ON_START') }),
  }),

  ui: group({
    enabled: flag(true, 'Whether the dashboard is served.', { aliases: ['PREFECT_SERVER_UI_ENABLED', 'PREFECT_UI_ENABLED'] }),
  }),

  events: group({
    maximum_size_bytes: integer(1_500_000, 'The largest event, as JSON.', { aliases: eventLimit('MAXIMUM_SIZE_BYTES') }),
    maximum_per_request: integer(10_000, 'How many events one request may bring.'),
    maximum_related_resources: integer(100, 'How many related resources an event may name.', {
      minimum: 0,
      aliases: eventLimit('MAXIMUM_RELATED_RESOURCES'),
    }),
    maximum_labels_per_resource: integer(500, 'How many labels a resource of an event may have.', {
      aliases: eventLimit('MAXIMUM_LABELS_PER_RESOURCE'),
    }),
    maximum_name_length: integer(1024, 'The longest name of an event, in characters.', {
      aliases: ['PREFECT_SERVER_EVENTS_MAXIMUM_EVENT_NAME_LENGTH'],
    }),
    maximum_websocket_backfill_seconds: seconds(900, 'How far back a websocket that subscribes to events may look.', {
      minimum: 0,
      aliases: eventDuration('MAXIMUM_WEBSOCKET_BACKFILL'),
    }),
    websocket_backfill_page_size: integer(250, 'How many past events are read at a time for a websocket.', {
      aliases: eventLimit('WEBSOCKET_BACKFILL_PAGE_SIZE'),
    }),
    retention_days: days(7, 'How long events are kept; `none` keeps them for ever.', { aliases: eventDuration('RETENTION_PERIOD') }),
  }),

  logs: group({
    maximum_message_bytes: integer(1_000_000, 'The longest message of one log entry.'),
    maximum_per_request: integer(20_000, 'How many log entries one request may bring; existing clients send as many as fit into 3 MB.'),
    retention_days: days(90, 'How long logs are kept; `none` keeps them for ever.'),
  }),

  flow_runs: group({
    retention_days: days(null, 'How long finished runs are kept after their end; `none` keeps them for ever.'),
    graph_maximum_nodes: integer(10_000, 'The most nodes in the graph of one flow run.', {
      aliases: ['PREFECT_SERVER_FLOW_RUN_GRAPH_MAX_NODES', 'PREFECT_API_MAX_FLOW_RUN_GRAPH_NODES'],
    }),
    graph_maximum_artifacts: integer(10_000, 'The most artifacts in the graph of one flow run.', {
      aliases: ['PREFECT_SERVER_FLOW_RUN_GRAPH_MAX_ARTIFACTS', 'PREFECT_API_MAX_FLOW_RUN_GRAPH_ARTIFACTS'],
    }),
  }),

  task_runs: group({
    maximum_cache_key_length: integer(2000, 'The longest cache key of a task run, in characters.', {
      aliases: ['PREFECT_SERVER_TASKS_MAX_CACHE_KEY_LENGTH', 'PREFECT_API_TASK_CACHE_KEY_MAX_LENGTH'],
    }),
  }),

  deployments: group({
    maximum_scheduled_runs: integer(50, 'The most runs that a schedule may ask to have planned ahead.', {
      aliases: ['PREFECT_SERVER_DEPLOYMENT_SCHEDULE_MAX_SCHEDULED_RUNS', 'PREFECT_DEPLOYMENT_SCHEDULE_MAX_SCHEDULED_RUNS'],
    }),
  }),

  concurrency: group({
    deployment_slot_wait_seconds: seconds(30, 'How long a flow run waits before it asks again for a slot of its deployment.', {
      minimum: 0,
      aliases: ['PREFECT_SERVER_DEPLOYMENTS_CONCURRENCY_SLOT_WAIT_SECONDS', 'PREFECT_DEPLOYMENT_CONCURRENCY_SLOT_WAIT_SECONDS'],
    }),
    tag_slot_wait_seconds: seconds(30, 'How long a task run waits before it asks again for a slot of its tags.', {
      minimum: 0,
      aliases: ['PREFECT_SERVER_TASKS_TAG_CONCURRENCY_SLOT_WAIT_SECONDS', 'PREFECT_TASK_RUN_TAG_CONCURRENCY_SLOT_WAIT_SECONDS'],
    }),
    maximum_slot_wait_seconds: seconds(30, 'The longest that a caller without a slot is told to wait.', {
      minimum: 0,
      aliases: ['PREFECT_SERVER_CONCURRENCY_MAXIMUM_CONCURRENCY_SLOT_WAIT_SECONDS'],
    }),
    maximum_hold_seconds: seconds(20, 'The longest that a request for slots is held until some are free, where the client would rather wait.', {
      minimum: 0,
      maximum: 50,
    }),
    initial_deployment_lease_seconds: seconds(300, 'How long the slot of a flow run is held before its first renewal.', {
      minimum: 30,
      maximum: 3600,
      aliases: ['PREFECT_SERVER_CONCURRENCY_INITIAL_DEPLOYMENT_LEASE_DURATION'],
    }),
  }),

  automations: group({
    proactive_granularity_seconds: interval(5, 'How often triggers are asked that fire when something does not happen.', {
      aliases: eventDuration('PROACTIVE_GRANULARITY'),
    }),
    expired_bucket_buffer_seconds: seconds(60, 'How long what a trigger has counted is kept after its time.', {
      minimum: 0,
      aliases: eventDuration('EXPIRED_BUCKET_BUFFER'),
    }),
    webhook_allow_private_urls: flag(false, 'Whether webhooks and notifications may reach private addresses.'),
    maximum_firings_per_minute: integer(
      12_000,
      'How often one automation may fire within a minute before it is suspended; a firing upon an event that an automation caused counts ten times.',
    ),
    maximum_total_firings_per_minute: integer(
      30_000,
      'How often all automations together may fire within a minute; above that the one that fired most is suspended.',
    ),
    maximum_catch_all_events_per_event: integer(
      6,
      'How many events the automations that catch every event may cause together for each event that no automation caused; above that they are suspended.',
    ),
    suspension_seconds: seconds(600, 'How long an automation stays suspended before it resumes by itself.'),
  }),

  services: group({
    enabled: flag(true, 'Whether this process runs the background services.'),
    scheduler: group({
      ...service('scheduler', apiService('SCHEDULER'), 60, 'plans runs of every schedule'),
      recent_every_seconds: interval(5, 'How often the scheduler looks at deployments that have just changed.', {
        aliases: ['PREFECT_SERVER_SERVICES_SCHEDULER_RECENT_DEPLOYMENTS_LOOP_SECONDS'],
      }),
      deployment_batch_size: integer(100, 'How many deployments the scheduler takes at a time.', {
        aliases: api('SERVICES_SCHEDULER_DEPLOYMENT_BATCH_SIZE'),
      }),
      insert_batch_size: integer(100, 'How many runs the scheduler writes at a time.', { aliases: api('SERVICES_SCHEDULER_INSERT_BATCH_SIZE') }),
      max_runs: integer(100, 'The most runs planned ahead of one schedule.', { aliases: api('SERVICES_SCHEDULER_MAX_RUNS') }),
      min_runs: integer(3, 'The fewest runs planned ahead of one schedule.', { minimum: 0, aliases: api('SERVICES_SCHEDULER_MIN_RUNS') }),
      max_scheduled_seconds: seconds(8_640_000, 'How far ahead runs are planned at most.', {
        aliases: durations(api('SERVICES_SCHEDULER_MAX_SCHEDULED_TIME')),
      }),
      min_scheduled_seconds: seconds(3600, 'How far ahead runs are planned at least.', {
        minimum: 0,
        aliases: durations(api('SERVICES_SCHEDULER_MIN_SCHEDULED_TIME')),
      }),
    }),
    late_runs: group({
      ...service('late runs', apiService('LATE_RUNS'), 5, 'looks for runs that nobody picked up in time'),
      after_seconds: seconds(15, 'How long after its scheduled time a run is late.', {
        minimum: 0,
        aliases: durations(api('SERVICES_LATE_RUNS_AFTER_SECONDS')),
      }),
    }),
    pause_expirations: group(service('pause expirations', apiService('PAUSE_EXPIRATIONS'), 5, 'fails paused runs whose time to resume is over')),
    cancellation: group({
      ...service('cancellation', apiService('CANCELLATION_CLEANUP'), 20, 'ends what cancelled runs left unfinished'),
      grace_seconds: interval(300, 'How long a run may stay in Cancelling before the server ends it.', {
        aliases: ['PREFECT_SERVER_SERVICES_CANCELLATION_CLEANUP_CANCELLING_TIMEOUT_SECONDS'],
      }),
    }),
    worker_monitor: group({
      ...service('worker monitor', apiService('FOREMAN'), 15, 'looks for workers, queues and deployments that stopped reporting', 'FOREMAN'),
      inactivity_heartbeat_multiple: integer(3, 'How many heartbeats a worker may miss before it is offline.', {
        aliases: foreman('INACTIVITY_HEARTBEAT_MULTIPLE'),
      }),
      fallback_heartbeat_interval_seconds: interval(30, 'The time between heartbeats of a worker that does not tell its own.', {
        aliases: foreman('FALLBACK_HEARTBEAT_INTERVAL_SECONDS'),
      }),
      deployment_last_polled_timeout_seconds: interval(60, 'How long after its last poll a deployment is not ready.', {
        aliases: foreman('DEPLOYMENT_LAST_POLLED_TIMEOUT_SECONDS'),
      }),
      work_queue_last_polled_timeout_seconds: interval(60, 'How long after its last poll a work queue is not ready.', {
        aliases: foreman('WORK_QUEUE_LAST_POLLED_TIMEOUT_SECONDS'),
      }),
    }),
    zombie_detection: group({
      ...service('zombie detection', () => [], 10, 'looks for flow runs whose process or worker is gone'),
      missed_heartbeats: integer(3, 'How many heartbeats in a row a running flow run may miss before it is crashed.'),
      first_heartbeat_seconds: interval(
        3600,
        'How long a running flow run may be silent after its first heartbeat, when it is not known yet how often it sends them.',
      ),
      pending_infrastructure_seconds: interval(
        3600,
        'How long a flow run may stay pending once its infrastructure was made and its worker is gone, before it is crashed.',
      ),
      silent_slot_seconds: interval(
        86_400,
        'How long a running flow run whose client renews no lease may give no sign of life before the slot of its deployment is freed.',
      ),
    }),
    lease_expiration: group(
      service(
        'lease expiration',
        (name) => [`PREFECT_SERVER_SERVICES_REPOSSESSOR_${name}`],
        15,
        'frees the slots of expired leases',
        'LEASE_REPOSSESSION',
      ),
    ),
    trigger_evaluator: group({
      enabled: flag(true, 'Whether the trigger evaluator service runs, and with it automations.', { aliases: api('SERVICES_TRIGGERS_ENABLED') }),
    }),
    retention: group({
      enabled: flag(true, 'Whether the retention service runs, which removes what is older than the retention settings say.'),
      every_seconds: interval(3600, 'How often the retention service removes what is too old.', {
        aliases: ['PREFECT_SERVER_SERVICES_DB_VACUUM_LOOP_SECONDS'],
      }),
      batch_size: integer(200, 'How many rows the retention service removes at a time.', {
        aliases: ['PREFECT_SERVER_SERVICES_DB_VACUUM_BATCH_SIZE'],
      }),
    }),
  }),
})
