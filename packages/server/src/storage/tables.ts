/**
 * Every table, once: the rows' types come from here, and so do the casts that PostgreSQL needs for lists of rows.
 * The migrations create the same columns; the storage suite compares the two.
 *
 * Kinds: `uuid`; `text`; `int` (64 bits; times and durations are microseconds); `real`; `bool` (0 or 1 on SQLite);
 * `json` (text exactly as sent, on both sides of the driver); `tags` (a JSON list that filters look into); `bytes`.
 */
export type ColumnKind = 'uuid' | 'text' | 'int' | 'real' | 'bool' | 'json' | 'tags' | 'bytes'

interface Column<T> {
  readonly kind: ColumnKind
  readonly nullable: boolean
  readonly type?: T
}

const column = <T>(kind: ColumnKind): Column<T> => ({ kind, nullable: false })
const orNull = <T>(inner: Column<T>): Column<T | null> => ({ kind: inner.kind, nullable: true })

const uuid = column<string>('uuid')
const text = column<string>('text')
const int = column<number>('int')
const real = column<number>('real')
const bool = column<boolean | number>('bool')
const json = column<string>('json')
const tags = column<string>('tags')
const bytes = column<Uint8Array>('bytes')

const stateColumns = { type: text, name: text, timestamp: int, message: orNull(text), data: orNull(json), state_details: json }

/** The current state stands on the run's own row, so that a page of runs is one index range. */
const currentStateColumns = {
  state_id: orNull(uuid),
  state_type: orNull(text),
  state_name: orNull(text),
  state_timestamp: orNull(int),
  state_message: orNull(text),
  state_data: orNull(json),
  state_details: orNull(json),
}

const runTimeColumns = {
  run_count: int,
  expected_start_time: orNull(int),
  next_scheduled_start_time: orNull(int),
  start_time: orNull(int),
  end_time: orNull(int),
  total_run_time: int,
}

const entityColumns = { id: uuid, created: int, updated: int }

export const tables = {
  flow: { ...entityColumns, name: text, tags, labels: json },

  flow_run: {
    ...entityColumns,
    flow_id: uuid,
    name: text,
    deployment_id: orNull(uuid),
    deployment_version: orNull(text),
    work_queue_id: orNull(uuid),
    work_queue_name: orNull(text),
    flow_version: orNull(text),
    parameters: json,
    idempotency_key: orNull(text),
    context: json,
    empirical_policy: json,
    tags,
    labels: json,
    parent_task_run_id: orNull(uuid),
    infrastructure_document_id: orNull(uuid),
    infrastructure_pid: orNull(text),
    created_by: orNull(json),
    auto_scheduled: bool,
    job_variables: json,
    /** The worker that set the run to Pending, where it gave its name. */
    worker_name: orNull(text),
    /** See domains/repeated-transitions.ts. */
    recent_transitions: orNull(text),
    ...runTimeColumns,
    ...currentStateColumns,
  },
  flow_run_state: { id: uuid, flow_run_id: uuid, ...stateColumns },
  /** The last heartbeat of a run in a state: when it came, the time on it, the time between two of them if known, and when the connection it came by was lost. */
  flow_run_heartbeat: { flow_run_id: uuid, state_id: uuid, received: int, occurred: int, spacing: orNull(int), disconnected: orNull(int) },
  flow_run_input: { ...entityColumns, flow_run_id: uuid, key: text, value: text, sender: orNull(text) },

  task_run: {
    ...entityColumns,
    flow_run_id: orNull(uuid),
    name: text,
    task_key: text,
    dynamic_key: text,
    cache_key: orNull(text),
    cache_expiration: orNull(int),
    task_version: orNull(text),
    flow_run_run_count: int,
    empirical_policy: json,
    tags,
    labels: json,
    task_inputs: json,
    recent_transitions: orNull(text),
    ...runTimeColumns,
    ...currentStateColumns,
  },
  task_run_state: { id: uuid, task_run_id: uuid, ...stateColumns },
  task_run_cache: { id: uuid, cache_key: text, cache_expiration: orNull(int), state_id: uuid, created: int },

  /** What the orchestrator said when it did not simply accept, for explanations. */
  verdict: { id: uuid, run_id: uuid, at: int, status: text, rule: text, reason: text, facts: orNull(json), from_type: orNull(text), to_type: text },

  deployment: {
    ...entityColumns,
    flow_id: uuid,
    name: text,
    version: orNull(text),
    description: orNull(text),
    paused: bool,
    status: text,
    last_polled: orNull(int),
    concurrency_limit_id: orNull(uuid),
    concurrency_options: orNull(json),
    parameters: json,
    parameter_openapi_schema: orNull(json),
    enforce_parameter_schema: bool,
    job_variables: json,
    tags,
    labels: json,
    path: orNull(text),
    entrypoint: orNull(text),
    pull_steps: orNull(json),
    work_queue_id: orNull(uuid),
    work_queue_name: orNull(text),
    storage_document_id: orNull(uuid),
    infrastructure_document_id: orNull(uuid),
    created_by: orNull(json),
    updated_by: orNull(json),
    version_info: orNull(json),
  },
  deployment_schedule: {
    ...entityColumns,
    deployment_id: uuid,
    schedule: json,
    active: bool,
    max_scheduled_runs: orNull(int),
    parameters: json,
    slug: orNull(text),
    /** Every run up to this instant was made; when to look again, or null for never. */
    planned_until: int,
    due: orNull(int),
    /** When it was last planned; null while it is not to be planned. */
    planned_at: orNull(int),
  },

  work_pool: {
    ...entityColumns,
    name: text,
    description: orNull(text),
    type: text,
    base_job_template: json,
    is_paused: bool,
    concurrency_limit: orNull(int),
    status: orNull(text),
    default_queue_id: orNull(uuid),
    storage_configuration: json,
    last_status_event_id: orNull(uuid),
    last_transitioned_status_at: orNull(int),
  },
  work_queue: {
    ...entityColumns,
    work_pool_id: uuid,
    name: text,
    description: text,
    is_paused: bool,
    concurrency_limit: orNull(int),
    priority: int,
    filter: orNull(json),
    last_polled: orNull(int),
    status: text,
  },
  worker: { ...entityColumns, work_pool_id: uuid, name: text, last_heartbeat_time: int, heartbeat_interval_seconds: orNull(int), status: text },

  concurrency_limit: {
    ...entityColumns,
    name: text,
    active: bool,
    slots: int,
    slot_decay_per_second: real,
    avg_slot_occupancy_seconds: real,
    /** Both as of `settled`, fractions included: from then on they fade by themselves. Only a limit with decay has decaying slots. */
    decaying_slots: real,
    denied_slots: real,
    settled: int,
  },
  /** A slot in use is a row here while it is not expired: there is no counter to drift from it. */
  concurrency_lease: {
    id: uuid,
    lease_id: uuid,
    /** Null where the limit is gone, or where there was none by that name: the lease can be renewed all the same. */
    limit_id: orNull(uuid),
    slots: int,
    holder_type: orNull(text),
    holder_id: orNull(text),
    created: int,
    expires: orNull(int),
  },

  variable: { ...entityColumns, name: text, value: json, tags },
  saved_search: { ...entityColumns, name: text, filters: json },
  /** The digest of the last token that a client was given. */
  csrf_token: { ...entityColumns, client: text, token_digest: text, expiration: int },

  log: { id: uuid, created: int, name: text, level: int, message: text, timestamp: int, flow_run_id: orNull(uuid), task_run_id: orNull(uuid) },

  artifact: {
    ...entityColumns,
    key: orNull(text),
    type: orNull(text),
    description: orNull(text),
    data: orNull(json),
    metadata_: orNull(json),
    flow_run_id: orNull(uuid),
    task_run_id: orNull(uuid),
  },
  artifact_collection: {
    ...entityColumns,
    key: text,
    latest_id: uuid,
    type: orNull(text),
    description: orNull(text),
    data: orNull(json),
    metadata_: orNull(json),
    flow_run_id: orNull(uuid),
    task_run_id: orNull(uuid),
  },

  block_type: {
    ...entityColumns,
    name: text,
    slug: text,
    logo_url: orNull(text),
    documentation_url: orNull(text),
    description: orNull(text),
    code_example: orNull(text),
    is_protected: bool,
  },
  /** `fields` without the schemas of nested blocks and the references to them: these are put back on reading. */
  block_schema: { ...entityColumns, block_type_id: uuid, checksum: text, fields: json, capabilities: tags, version: text },
  block_schema_reference: { id: uuid, parent_block_schema_id: uuid, reference_block_schema_id: uuid, name: text },
  block_document: {
    ...entityColumns,
    name: text,
    block_type_id: uuid,
    block_type_name: text,
    block_schema_id: uuid,
    is_anonymous: bool,
    /** Encrypted with the key of that id; what it refers to lies in a table of its own. */
    data: text,
    key_id: text,
  },
  block_document_reference: { id: uuid, parent_block_document_id: uuid, reference_block_document_id: uuid, name: text },
  /** One row or none. */
  default_result_storage: { number: int, block_document_id: uuid },
  encryption_key: { number: int, created: int, secret: text },

  automation: {
    ...entityColumns,
    name: text,
    description: text,
    enabled: bool,
    tags,
    trigger: json,
    actions: json,
    actions_on_trigger: json,
    actions_on_resolve: json,
    /** Events that were received before do not count for it. */
    active_since: int,
  },
  automation_revision: { id: int, revision: int },
  automation_resource: { automation_id: uuid, resource_id: text, owned: bool },
  /** `reason` says why it did not fire when it was last evaluated; null when it did. */
  automation_status: { automation_id: uuid, last_evaluated: int, last_fired: orNull(int), reason: orNull(text) },
  /** What an event trigger has counted in a period, for one set of label values. */
  automation_bucket: {
    slot: text,
    automation_id: uuid,
    trigger_id: uuid,
    labels: json,
    proactive: bool,
    opened: int,
    closes: int,
    count: int,
    last_event: orNull(json),
  },
  /** Firings that a compound or sequence trigger has seen of its triggers, the latest of each. */
  automation_child_firing: {
    slot: text,
    automation_id: uuid,
    parent_trigger_id: uuid,
    child_trigger_id: uuid,
    fired: int,
    log_position: int,
    firing: json,
  },
  /** Events that wait for the one that they follow, see automations/early-events.ts. */
  automation_early_event: { log_position: int, event_id: uuid, occurred: int, follows: uuid, until: int },
  automation_firing: { id: uuid, automation_id: uuid, created: int, body: json },
  automation_invocation: {
    id: uuid,
    firing_id: uuid,
    automation_id: uuid,
    action_index: int,
    action: json,
    /** Whether its event is the one that tells of the firing, not the one that caused it. */
    on_triggered: bool,
    outbound: bool,
    attempts: int,
    claimed: orNull(int),
  },

  /** How often an automation fired in a minute, by its id; `catch-all` is the budget of those that catch every event, see automations/firing-limits.ts. */
  automation_usage: { scope: text, minute: int, used: int, earned: int },
  automation_suspension: { automation_id: uuid, since: int, until: int, reason: text },
  /** The automations whose actions led to an event or a flow run, see automations/chain.ts. */
  automation_chain: { subject: uuid, chain: json, expires: int },

  /** The event log is the outbox: a row is written in the transaction of the change that it tells of. */
  event: {
    id: uuid,
    occurred: int,
    received: int,
    event: text,
    resource_id: text,
    resource: json,
    related: json,
    payload: json,
    follows: orNull(uuid),
  },
  event_resource: { resource_id: text, occurred: int, event_position: int, role: text },
  /** Events by name in a quarter of an hour; written with the events, see events/tally.ts. */
  event_tally: { quarter: int, event: text, count: int, oldest: int, newest: int },
  /** Stretches of the log in columns, made some time after the events, see events/chapters/chapter.ts. */
  event_chapter: { first: int, last: int, count: int, oldest: int, newest: int, version: int },
  event_chapter_part: { first: int, part: text, body: bytes },
  /** How far the readers of the log that must not miss anything have come. */
  event_cursor: { name: text, seen: int },
  /** What retention has removed so far, by kind. */
  retention: { kind: text, trimmed: int, last_run: int, last_trimmed: int },

  /** What was taken over from another installation: one row or none. What is no younger than `kept_until` is spared by retention. */
  adoption: { number: int, source: text, revision: text, started: int, finished: orNull(int), kept_until: orNull(int) },
  /** How far each step of it has come. */
  adoption_step: { name: text, last_key: orNull(text), copied: int, done: bool },

  /** Deferred task runs that no task worker has taken yet. */
  deferred_task: { task_run_id: uuid, task_key: text, state_id: uuid, queued: int, claimed_until: orNull(int) },
} as const satisfies Record<string, Record<string, Column<unknown>>>

type Tables = typeof tables
export type TableName = keyof Tables

type ColumnValue<C> = C extends Column<infer T> ? T : never

/** One row of a table as it is read and written. */
export type Row<T extends TableName> = { -readonly [K in keyof Tables[T]]: ColumnValue<Tables[T][K]> }

/** What Kysely knows of the database. `position` is the database's own, in the order of commits. */
export type Database = { [T in Exclude<TableName, 'event'>]: Row<T> } & { event: Row<'event'> & { position: number } } & {
  flow_run_tag: { tag: string; started: number | null; expected: number | null; flow_run_id: string }
}

export const columnsOf = (table: TableName): Readonly<Record<string, { kind: ColumnKind; nullable: boolean }>> => tables[table]

/** SQLite has no booleans. */
export const toBoolean = (value: boolean | number): boolean => value === true || value === 1
