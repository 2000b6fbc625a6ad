import { createNetworkTest } from '../lib/ip-network.ts'
import { logLevels } from '../lib/log-level.ts'
import { normaliseCron } from './backups.ts'
import { normaliseDatabaseUrl, normalisePostgresUrl } from './database-url.ts'
import { choice, days, flag, group, integer, interval, optionalInteger, optionalInterval, seconds, secretText, text, textList } from './setting.ts'
import { telemetry } from './telemetry-settings.ts'

/** The reference has two names for most of its settings. */
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
    every_seconds: interval(everySeconds, `Seconds between two passes of the ${name} service, which ${action}.`, {
      aliases: [...former('EVERY_SECONDS'), ...referenceNames('LOOP_SECONDS')],
    }),
  }
}

/** The reference and earlier versions of Millrace call the worker monitor "foreman". */
const workerMonitorAliases = (name: string) => [formerly('FOREMAN', name), ...api(`SERVICES_FOREMAN_${name}`)]

/** Every setting of the server. The path gives the environment variable: `server.api.default_limit` is `MILLRACE_SERVER_API_DEFAULT_LIMIT`. */
export const Settings = group({
  server: group({
    host: text('127.0.0.1', 'Address to listen on.', { minLength: 1, aliases: ['PREFECT_SERVER_API_HOST'] }),
    port: integer(4200, 'Port to listen on; 0 picks a free port.', { minimum: 0, maximum: 65_535, aliases: ['PREFECT_SERVER_API_PORT'] }),
    processes: optionalInteger(
      'Number of equal processes that share the port; `none` means one for two cores, at most 4, on PostgreSQL and 1 on SQLite.',
      { minimum: 1, maximum: 64 },
    ),
    allow_anonymous: flag(false, 'Allows a server without a password to listen on an address that other machines can reach.'),
    allowed_hosts: textList(
      [],
      'Public host names that a server without a password accepts, in addition to the host of `ui_url`; a leading `*` accepts all subdomains, a lone `*` every host.',
    ),
    trusted_proxies: textList(
      [],
      'Addresses or networks of proxies whose header `X-Forwarded-For` names the client, so that wrong passwords count for the client and not for the proxy.',
      {
        form: 'a list of IP addresses and networks such as `10.0.0.0/8`',
        normalise: (list) => {
          createNetworkTest(list.split(',').map((item) => item.trim()))
          return list
        },
      },
    ),
    base_path: text('', 'Path under which a proxy serves the dashboard and the API.', {
      pattern: '^(/[^/?#\\s]+)*$',
      form: 'a path such as `/millrace`',
      normalise: (path) => (path.startsWith('/') ? path : `/${path}`).replace(/\/+$/, ''),
    }),
    ui_url: text('', 'Public address of the dashboard, used for links in messages; defaults to the address the server listens on.', {
      pattern: '^(https?://[^\\s?#]+)?$',
      form: 'an address such as `https://millrace.example.com`',
      normalise: (url) => url.replace(/\/+$/, ''),
      aliases: ['PREFECT_UI_URL'],
    }),
    log_level: choice(logLevels, 'info', 'Minimum severity of log messages.', {
      aliases: ['PREFECT_SERVER_LOGGING_LEVEL', 'PREFECT_LOGGING_SERVER_LEVEL'],
      synonyms: { warning: 'warn', critical: 'fatal' },
    }),
    metrics_enabled: flag(true, 'Whether `/metrics` answers in the text format of Prometheus; it needs the password if there is one.', {
      aliases: ['PREFECT_SERVER_METRICS_ENABLED'],
    }),
    log_format: choice(['auto', 'text', 'json'], 'auto', 'Form of log messages; `auto` writes text on a terminal and JSON otherwise.'),
    log_levels: textList([], 'Minimum severity of single rooms (`server`, `http`, `services`, `storage`), such as `http=debug`.'),
    body_limit_bytes: integer(16 * 1024 * 1024, 'Maximum size of a request body; larger bodies are rejected with 413.'),
    body_memory_limit_bytes: integer(
      256 * 1024 * 1024,
      'Maximum memory for the bodies and unfinished WebSocket messages of all requests together; requests above it are rejected with 503.',
    ),
    send_memory_limit_bytes: integer(
      128 * 1024 * 1024,
      'Maximum memory for unsent WebSocket messages of all connections together, and as much for unsent responses; slow connections above it are closed.',
    ),
    requests_limit: integer(5000, 'Maximum number of requests in flight in one process; requests above it are rejected with 503.'),
    connections_limit: integer(
      20_000,
      'Maximum number of open connections of one process, WebSockets included; connections above it are closed at once.',
    ),
    body_timeout_seconds: interval(10, 'Time without new data after which a request body is rejected with 408.'),
    json_depth_limit: integer(100, 'Maximum nesting depth of the JSON in a request.'),
    json_values_limit: integer(500_000, 'Maximum number of values, and of objects and lists, in the JSON of a request or WebSocket message.'),
    keep_alive_timeout_seconds: interval(
      72,
      'Time after which an idle connection is closed; set it higher than the idle timeout of your load balancer.',
      {
        aliases: ['PREFECT_SERVER_API_KEEPALIVE_TIMEOUT'],
      },
    ),
    shutdown_delay_seconds: optionalInterval(
      'Time after SIGTERM during which the server still answers requests while `/ready` is 503, so that load balancers notice; `none` means 5 if something polls `/ready`, else 0.',
      { minimum: 0 },
    ),
    shutdown_grace_seconds: interval(10, 'Time that requests in flight have to finish when the server stops.', { minimum: 0 }),
    encryption_key: secretText(
      'Key that encrypts secrets in the database; without one the server generates a key and stores it next to the database.',
      {
        aliases: ['PREFECT_SERVER_ENCRYPTION_KEY', 'ORION_ENCRYPTION_KEY'],
      },
    ),
    api: group({
      enabled: flag(true, 'Whether this process serves the API; if not, it only runs the background services.'),
      auth_string: secretText('User and password that every request has to send (HTTP Basic); without it no password is required.', {
        pattern: '^[^:]+:.+$',
        form: '`user:password`',
        aliases: ['PREFECT_SERVER_API_AUTH_STRING'],
      }),
      default_limit: integer(200, 'Default and maximum number of objects that a list request returns.', {
        aliases: ['SERVICE_SERVER_API_DEFAULT_LIMIT', 'SERVICE_API_DEFAULT_LIMIT', 'PREFECT_SERVER_API_DEFAULT_LIMIT', 'PREFECT_API_DEFAULT_LIMIT'],
      }),
      csrf_protection_enabled: flag(false, 'Whether requests other than GET need a CSRF token.', {
        aliases: ['PREFECT_SERVER_API_CSRF_PROTECTION_ENABLED', 'PREFECT_SERVER_CSRF_PROTECTION_ENABLED'],
      }),
      csrf_token_expiration_seconds: seconds(3600, 'Lifetime of a CSRF token.', {
        aliases: durations(['PREFECT_SERVER_API_CSRF_TOKEN_EXPIRATION', 'PREFECT_SERVER_CSRF_TOKEN_EXPIRATION']),
      }),
      cors_allowed_origins: textList([], 'Other origins whose pages may call the API from a browser; `*` allows every origin.', {
        aliases: ['PREFECT_SERVER_API_CORS_ALLOWED_ORIGINS', 'PREFECT_SERVER_CORS_ALLOWED_ORIGINS'],
      }),
      maximum_parameter_bytes: integer(524_288, 'Maximum size of the parameters of a run or deployment, as JSON; 0 means no limit.', {
        minimum: 0,
        aliases: ['PREFECT_SERVER_API_MAX_PARAMETER_SIZE'],
      }),
      websocket_ping_interval_seconds: interval(20, 'Seconds between two pings of an open WebSocket.', {
        aliases: ['PREFECT_SERVER_API_WEBSOCKET_PING_INTERVAL'],
      }),
      websocket_ping_timeout_seconds: interval(20, 'Time without a pong after which a WebSocket is closed.', {
        aliases: ['PREFECT_SERVER_API_WEBSOCKET_PING_TIMEOUT'],
      }),
    }),
    schemas: group({
      timeout_seconds: interval(1, 'Maximum time to validate a value against a JSON schema of a user; after it the request is rejected with 422.'),
      memory_limit_bytes: integer(134_217_728, 'Maximum memory of each of the two threads that validate JSON schemas.', { minimum: 33_554_432 }),
      schema_limit_bytes: integer(524_288, 'Maximum size of a JSON schema or base job template that values are validated against.'),
      value_limit_bytes: integer(2_097_152, 'Maximum size of a value that is validated against a JSON schema.'),
      waiting_limit: integer(200, 'Maximum number of queued JSON schema validations; requests above it are rejected with 503.'),
    }),
  }),

  telemetry,

  database: group({
    url: text('sqlite:~/.millrace/millrace.db', 'Database to use.', {
      secret: 'password',
      form: '`sqlite:PATH`, `sqlite::memory:` or `postgres://…`',
      aliases: ['PREFECT_SERVER_DATABASE_CONNECTION_URL', 'PREFECT_API_DATABASE_CONNECTION_URL'],
      normalise: normaliseDatabaseUrl,
    }),
    direct_url: text(
      '',
      'URL of the same PostgreSQL database without a connection pooler in between; needed for notifications between servers if `url` leads through PgBouncer.',
      { secret: 'password', form: '`postgres://…`', normalise: normalisePostgresUrl },
    ),
    read_url: text('', 'URL of a read replica of the PostgreSQL database, which answers lists, counts, histories and graphs.', {
      secret: 'password',
      form: '`postgres://…`',
      normalise: normalisePostgresUrl,
    }),
    read_max_lag_seconds: seconds(5, 'Lag of the read replica above which the primary answers all reads.', { minimum: 0 }),
    prepared_statements: choice(
      ['auto', 'on', 'off'],
      'auto',
      'Whether statements are prepared once per connection to PostgreSQL; `auto` finds out whether a connection pooler supports it.',
    ),
    pool_size: integer(
      10,
      'Maximum number of connections of one server to PostgreSQL, shared by its processes (at least 4 for each of several), in addition to one LISTEN connection for each process.',
      {
        minimum: 2,
        aliases: ['PREFECT_SERVER_DATABASE_SQLALCHEMY_POOL_SIZE', 'PREFECT_SQLALCHEMY_POOL_SIZE'],
      },
    ),
    connect_timeout_seconds: interval(30, 'Time that the server waits at start-up for PostgreSQL to become reachable.', { minimum: 0 }),
    statement_timeout_seconds: interval(60, 'Time after which PostgreSQL cancels a statement and the request gets 503; migrations have no limit.', {
      aliases: api('DATABASE_TIMEOUT'),
    }),
    migrate_on_start: flag(true, 'Whether the server migrates the database schema at start-up.', { aliases: api('DATABASE_MIGRATE_ON_START') }),
  }),

  ui: group({
    enabled: flag(true, 'Whether the dashboard and the documentation at `/help` are served.', {
      aliases: ['PREFECT_SERVER_UI_ENABLED', 'PREFECT_UI_ENABLED'],
    }),
  }),

  events: group({
    maximum_size_bytes: integer(1_500_000, 'Maximum size of an event, as JSON.', { aliases: eventLimit('MAXIMUM_SIZE_BYTES') }),
    maximum_per_request: integer(10_000, 'Maximum number of events in one request.'),
    maximum_related_resources: integer(100, 'Maximum number of related resources of an event.', {
      minimum: 0,
      aliases: eventLimit('MAXIMUM_RELATED_RESOURCES'),
    }),
    maximum_labels_per_resource: integer(500, 'Maximum number of labels of a resource in an event.', {
      aliases: eventLimit('MAXIMUM_LABELS_PER_RESOURCE'),
    }),
    maximum_name_length: integer(1024, 'Maximum length of an event name, in characters.', {
      aliases: ['PREFECT_SERVER_EVENTS_MAXIMUM_EVENT_NAME_LENGTH'],
    }),
    maximum_websocket_backfill_seconds: seconds(900, 'Maximum age of the past events that an event WebSocket can request.', {
      minimum: 0,
      aliases: eventDuration('MAXIMUM_WEBSOCKET_BACKFILL'),
    }),
    websocket_backfill_page_size: integer(250, 'Number of past events that are read at a time for a WebSocket.', {
      aliases: eventLimit('WEBSOCKET_BACKFILL_PAGE_SIZE'),
    }),
    retention_days: days(7, 'Days after which events are removed; `none` keeps them.', { aliases: eventDuration('RETENTION_PERIOD') }),
  }),

  logs: group({
    maximum_message_bytes: integer(1_000_000, 'Maximum size of the message of a log entry.'),
    maximum_per_request: integer(20_000, 'Maximum number of log entries in one request; existing clients send up to 3 MB at a time.'),
    retention_days: days(90, 'Days after which logs are removed; `none` keeps them.'),
  }),

  flow_runs: group({
    retention_days: days(null, 'Days after their end when finished runs are removed; `none` keeps them.'),
    graph_maximum_nodes: integer(10_000, 'Maximum number of nodes in the graph of a flow run.', {
      aliases: ['PREFECT_SERVER_FLOW_RUN_GRAPH_MAX_NODES', 'PREFECT_API_MAX_FLOW_RUN_GRAPH_NODES'],
    }),
    graph_maximum_artifacts: integer(10_000, 'Maximum number of artifacts in the graph of a flow run.', {
      aliases: ['PREFECT_SERVER_FLOW_RUN_GRAPH_MAX_ARTIFACTS', 'PREFECT_API_MAX_FLOW_RUN_GRAPH_ARTIFACTS'],
    }),
  }),

  task_runs: group({
    maximum_cache_key_length: integer(2000, 'Maximum length of the cache key of a task run, in characters.', {
      aliases: ['PREFECT_SERVER_TASKS_MAX_CACHE_KEY_LENGTH', 'PREFECT_API_TASK_CACHE_KEY_MAX_LENGTH'],
    }),
  }),

  deployments: group({
    maximum_scheduled_runs: integer(50, 'Maximum value of `max_scheduled_runs` of a schedule.', {
      aliases: ['PREFECT_SERVER_DEPLOYMENT_SCHEDULE_MAX_SCHEDULED_RUNS', 'PREFECT_DEPLOYMENT_SCHEDULE_MAX_SCHEDULED_RUNS'],
    }),
  }),

  concurrency: group({
    deployment_slot_wait_seconds: seconds(30, 'Time after which a flow run requests a slot of its deployment again.', {
      minimum: 0,
      aliases: ['PREFECT_SERVER_DEPLOYMENTS_CONCURRENCY_SLOT_WAIT_SECONDS', 'PREFECT_DEPLOYMENT_CONCURRENCY_SLOT_WAIT_SECONDS'],
    }),
    tag_slot_wait_seconds: seconds(30, 'Time after which a task run requests a slot of its tags again.', {
      minimum: 0,
      aliases: ['PREFECT_SERVER_TASKS_TAG_CONCURRENCY_SLOT_WAIT_SECONDS', 'PREFECT_TASK_RUN_TAG_CONCURRENCY_SLOT_WAIT_SECONDS'],
    }),
    maximum_slot_wait_seconds: seconds(30, 'Maximum `Retry-After` for a request that got no slot.', {
      minimum: 0,
      aliases: ['PREFECT_SERVER_CONCURRENCY_MAXIMUM_CONCURRENCY_SLOT_WAIT_SECONDS'],
    }),
    maximum_hold_seconds: seconds(20, 'Maximum time that the server holds a request for slots of a client that prefers to wait.', {
      minimum: 0,
      maximum: 50,
    }),
    initial_deployment_lease_seconds: seconds(300, 'Duration of the first lease on the deployment slot of a flow run.', {
      minimum: 30,
      maximum: 3600,
      aliases: ['PREFECT_SERVER_CONCURRENCY_INITIAL_DEPLOYMENT_LEASE_DURATION'],
    }),
  }),

  automations: group({
    proactive_granularity_seconds: interval(5, 'Seconds between two evaluations of proactive triggers.', {
      aliases: eventDuration('PROACTIVE_GRANULARITY'),
    }),
    expired_bucket_buffer_seconds: seconds(60, 'Time that the event counts of a trigger are kept after they expire.', {
      minimum: 0,
      aliases: eventDuration('EXPIRED_BUCKET_BUFFER'),
    }),
    webhook_allow_private_urls: flag(false, 'Allows webhooks and notifications to call private network addresses.'),
    maximum_firings_per_minute: integer(
      12_000,
      'Firings per minute above which an automation is suspended; a firing on an event that an automation caused counts as ten.',
    ),
    maximum_total_firings_per_minute: integer(
      30_000,
      'Firings per minute of all automations together above which the most active automation is suspended.',
    ),
    maximum_catch_all_events_per_event: integer(
      6,
      'Events that automations with a catch-all trigger may cause together per event that no automation caused; above it they are suspended.',
    ),
    suspension_seconds: seconds(600, 'Time after which a suspended automation resumes.'),
  }),

  services: group({
    enabled: flag(true, 'Whether this process runs the background services.'),
    scheduler: group({
      ...service('scheduler', apiService('SCHEDULER'), 60, 'creates the scheduled runs of all deployments'),
      recent_every_seconds: interval(5, 'Seconds between two passes of the scheduler over deployments that changed recently.', {
        aliases: ['PREFECT_SERVER_SERVICES_SCHEDULER_RECENT_DEPLOYMENTS_LOOP_SECONDS'],
      }),
      deployment_batch_size: integer(100, 'Number of deployments that the scheduler reads at a time.', {
        aliases: api('SERVICES_SCHEDULER_DEPLOYMENT_BATCH_SIZE'),
      }),
      insert_batch_size: integer(100, 'Number of runs that the scheduler inserts at a time.', {
        aliases: api('SERVICES_SCHEDULER_INSERT_BATCH_SIZE'),
      }),
      max_runs: integer(100, 'Maximum number of runs that are scheduled ahead per schedule.', { aliases: api('SERVICES_SCHEDULER_MAX_RUNS') }),
      min_runs: integer(3, 'Minimum number of runs that are scheduled ahead per schedule.', {
        minimum: 0,
        aliases: api('SERVICES_SCHEDULER_MIN_RUNS'),
      }),
      max_scheduled_seconds: seconds(8_640_000, 'Maximum time that runs are scheduled ahead.', {
        aliases: durations(api('SERVICES_SCHEDULER_MAX_SCHEDULED_TIME')),
      }),
      min_scheduled_seconds: seconds(3600, 'Minimum time that runs are scheduled ahead.', {
        minimum: 0,
        aliases: durations(api('SERVICES_SCHEDULER_MIN_SCHEDULED_TIME')),
      }),
    }),
    late_runs: group({
      ...service('late runs', apiService('LATE_RUNS'), 5, 'marks runs that have not started in time'),
      after_seconds: seconds(15, 'Time after its scheduled start when a run is late.', {
        minimum: 0,
        aliases: durations(api('SERVICES_LATE_RUNS_AFTER_SECONDS')),
      }),
    }),
    pause_expirations: group(service('pause expirations', apiService('PAUSE_EXPIRATIONS'), 5, 'fails paused runs whose timeout has passed')),
    cancellation: group({
      ...service('cancellation', apiService('CANCELLATION_CLEANUP'), 20, 'cancels the unfinished child runs of cancelled runs'),
      grace_seconds: interval(300, 'Time in Cancelling after which the server cancels a run.', {
        aliases: ['PREFECT_SERVER_SERVICES_CANCELLATION_CLEANUP_CANCELLING_TIMEOUT_SECONDS'],
      }),
    }),
    worker_monitor: group({
      ...service('worker monitor', apiService('FOREMAN'), 15, 'marks workers, queues and deployments that stopped reporting', 'FOREMAN'),
      inactivity_heartbeat_multiple: integer(3, 'Number of missed heartbeats after which a worker is offline.', {
        aliases: workerMonitorAliases('INACTIVITY_HEARTBEAT_MULTIPLE'),
      }),
      fallback_heartbeat_interval_seconds: interval(30, 'Heartbeat interval assumed for a worker that reports none.', {
        aliases: workerMonitorAliases('FALLBACK_HEARTBEAT_INTERVAL_SECONDS'),
      }),
      deployment_last_polled_timeout_seconds: interval(60, 'Time after its last poll when a deployment becomes not ready.', {
        aliases: workerMonitorAliases('DEPLOYMENT_LAST_POLLED_TIMEOUT_SECONDS'),
      }),
      work_queue_last_polled_timeout_seconds: interval(60, 'Time after its last poll when a work queue becomes not ready.', {
        aliases: workerMonitorAliases('WORK_QUEUE_LAST_POLLED_TIMEOUT_SECONDS'),
      }),
    }),
    zombie_detection: group({
      ...service('zombie detection', () => [], 10, 'crashes flow runs whose process or worker is gone'),
      missed_heartbeats: integer(3, 'Number of consecutive missed heartbeats after which a running flow run is crashed.'),
      first_heartbeat_seconds: interval(
        3600,
        'Time after its first heartbeat when a running flow run without a second one is crashed, since its interval is not known yet.',
      ),
      pending_infrastructure_seconds: interval(
        3600,
        'Time after which a pending flow run is crashed if its infrastructure was created and its worker is gone.',
      ),
      silent_slot_seconds: interval(
        86_400,
        'Time without activity after which a running flow run loses the slot of its deployment, if its client renews no lease.',
      ),
    }),
    lease_expiration: group(
      service(
        'lease expiration',
        (name) => [`PREFECT_SERVER_SERVICES_REPOSSESSOR_${name}`],
        15,
        'releases the slots of expired leases',
        'LEASE_REPOSSESSION',
      ),
    ),
    trigger_evaluator: group({
      enabled: flag(true, 'Whether the trigger evaluator service runs; without it automations do not fire.', {
        aliases: api('SERVICES_TRIGGERS_ENABLED'),
      }),
    }),
    retention: group({
      enabled: flag(true, 'Whether the retention service runs, which removes data older than the retention settings allow.'),
      every_seconds: interval(3600, 'Seconds between two passes of the retention service.', {
        aliases: ['PREFECT_SERVER_SERVICES_DB_VACUUM_LOOP_SECONDS'],
      }),
      batch_size: integer(200, 'Number of rows that the retention service removes at a time.', {
        aliases: ['PREFECT_SERVER_SERVICES_DB_VACUUM_BATCH_SIZE'],
      }),
    }),
    backup: group({
      schedule: text('', 'Cron expression, in UTC, of backups of a SQLite database; empty means no backups.', {
        form: 'a cron expression such as `0 3 * * *`',
        normalise: normaliseCron,
      }),
      folder: text('', 'Folder of scheduled backups; defaults to `backups` next to the database.'),
      keep: integer(7, 'Number of backups that are kept in the folder.'),
      compress: flag(true, 'Whether scheduled backups are compressed with Zstandard.'),
    }),
  }),
})
