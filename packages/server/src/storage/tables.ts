/**
 * All tables. The row types and the casts of PostgreSQL for lists of rows are derived from here.
 * The migrations create the same columns; the storage suite compares them.
 *
 * Kinds: `uuid`; `text`; `int` (64 bits; times and durations are microseconds); `real`; `bool` (0 or 1 on SQLite);
 * `json` (text exactly as sent); `tags` (a JSON list that filters search); `bytes`.
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

/** The actor is who asked for the state, as `actorColumn` writes it. */
const stateColumns = { type: text, name: text, timestamp: int, message: orNull(text), data: orNull(json), state_details: json, actor: orNull(text) }

/** The current state is stored on the row of the run, so that a page of runs is one index range. */
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
    /** The worker that set the run to Pending, if it sent its name. */
    worker_name: orNull(text),
    /** See runs/recent-transitions.ts. */
    recent_transitions: orNull(text),
    /** Who may report about the run: rises with each start and each return to the schedule (ADR 0062). */
    attempt: int,
    ...runTimeColumns,
    ...currentStateColumns,
  },
  flow_run_state: { id: uuid, flow_run_id: uuid, ...stateColumns },
  /** The last heartbeat of a run in a state: its times, the interval between heartbeats if known, and when its connection was lost. */
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

  /** Decisions of the orchestrator other than a plain accept, for explanations. */
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
    /** All runs up to this time are created. */
    planned_until: int,
    /** When to plan again; null for never. */
    due: orNull(int),
    /** When it was last planned; null while planning is off. */
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
    /** Both as of `settled`, with fractions. They decay from then on. Only a limit with decay has decaying slots. */
    decaying_slots: real,
    denied_slots: real,
    settled: int,
  },
  /** An unexpired row is the slots in use. There is no counter that could drift. */
  concurrency_lease: {
    id: uuid,
    lease_id: uuid,
    /** Null when the limit is deleted or never existed. Such a lease can still be renewed. */
    limit_id: orNull(uuid),
    slots: int,
    holder_type: orNull(text),
    holder_id: orNull(text),
    created: int,
    expires: orNull(int),
  },

  variable: { ...entityColumns, name: text, value: json, tags },
  saved_search: { ...entityColumns, name: text, filters: json },
  /** The digest of the last token issued to a client. */
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
  /** `fields` excludes the schemas of nested blocks and the references to them. Reads add them back. */
  block_schema: { ...entityColumns, block_type_id: uuid, checksum: text, fields: json, capabilities: tags, version: text },
  block_schema_reference: { id: uuid, parent_block_schema_id: uuid, reference_block_schema_id: uuid, name: text },
  block_document: {
    ...entityColumns,
    name: text,
    block_type_id: uuid,
    block_type_name: text,
    block_schema_id: uuid,
    is_anonymous: bool,
    /** Encrypted with the key `key_id`. References to other documents are in `block_document_reference`. */
    data: text,
    key_id: text,
  },
  block_document_reference: { id: uuid, parent_block_document_id: uuid, reference_block_document_id: uuid, name: text },
  /** At most one row. */
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
    /** Events received before this time do not trigger it. */
    active_since: int,
  },
  automation_revision: { id: int, revision: int },
  automation_resource: { automation_id: uuid, resource_id: text, owned: bool },
  /** `reason` is why the last evaluation did not fire; null when it fired. */
  automation_status: { automation_id: uuid, last_evaluated: int, last_fired: orNull(int), reason: orNull(text) },
  /** The event count of a trigger in a period, for one set of label values. */
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
  /** The latest firing of each child of a compound or sequence trigger. */
  automation_child_firing: {
    slot: text,
    automation_id: uuid,
    parent_trigger_id: uuid,
    child_trigger_id: uuid,
    fired: int,
    log_position: int,
    firing: json,
  },
  /** Events that wait for the event they follow, see automations/reorder-buffer.ts. */
  automation_early_event: { log_position: int, event_id: uuid, occurred: int, follows: uuid, until: int },
  automation_firing: { id: uuid, automation_id: uuid, created: int, body: json },
  automation_invocation: {
    id: uuid,
    firing_id: uuid,
    automation_id: uuid,
    action_index: int,
    action: json,
    /** Whether the action gets the event that reports the firing instead of the event that caused it. */
    on_triggered: bool,
    outbound: bool,
    attempts: int,
    claimed: orNull(int),
  },

  /** Firings per minute by automation id. `catch-all` is the shared budget of automations that match every event, see automations/firing-limits.ts. */
  automation_usage: { scope: text, minute: int, used: int, earned: int },
  /** Who saved an automation last, as `actorColumn` writes it. */
  automation_actor: { automation_id: uuid, actor: orNull(text) },
  automation_suspension: { automation_id: uuid, since: int, until: int, reason: text },
  /** The automations whose actions caused an event or a flow run, see automations/chain.ts. */
  automation_chain: { subject: uuid, chain: json, expires: int },

  /** The end of the event log, which is the outbox: an event is written in the transaction of the change that it reports. */
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
  /** Segments of the log: columns and compressed rows of events that are no longer in `event`, see events/segments/segment.ts. */
  event_segment: { id: int, first: int, last: int, count: int, oldest: int, newest: int, blocks: bytes },
  event_segment_part: { segment_id: int, part: text, block: int, body: bytes },
  /** Legacy segments: columns of events whose rows are still in `event`. The service event-segments turns them into segments. */
  event_chapter: { first: int, last: int, count: int, oldest: int, newest: int, version: int },
  event_chapter_part: { first: int, part: text, body: bytes },
  /** The positions of the log readers that must not skip an event. */
  event_cursor: { name: text, seen: int },
  /** The rows that retention has removed so far, by kind. */
  retention: { kind: text, trimmed: int, last_run: int, last_trimmed: int },

  /** The adoption of another installation: at most one row. Retention keeps rows up to `kept_until`. */
  adoption: { number: int, source: text, revision: text, started: int, finished: orNull(int), kept_until: orNull(int) },
  /** The progress of each adoption step. */
  adoption_step: { name: text, last_key: orNull(text), copied: int, done: bool },

  /** Deferred task runs that no task worker has claimed yet. */
  deferred_task: { task_run_id: uuid, task_key: text, state_id: uuid, queued: int, claimed_until: orNull(int) },
} as const satisfies Record<string, Record<string, Column<unknown>>>

type Tables = typeof tables
export type TableName = keyof Tables

type ColumnValue<C> = C extends Column<infer T> ? T : never

/** A row of a table as read and written. */
export type Row<T extends TableName> = { -readonly [K in keyof Tables[T]]: ColumnValue<Tables[T][K]> }

/** The schema for Kysely. The database assigns `position` in the order of commits. */
export type Database = { [T in Exclude<TableName, 'event'>]: Row<T> } & { event: Row<'event'> & { position: number } } & {
  flow_run_tag: { tag: string; started: number | null; expected: number | null; flow_run_id: string }
}

export const columnsOf = (table: TableName): Readonly<Record<string, { kind: ColumnKind; nullable: boolean }>> => tables[table]

/**
 * The select list of a table. Statements that writes depend on name their columns: with `*`, a column that a newer server adds changes what they return, and the
 * transaction has to be repeated (see `isOutdatedStatement`).
 */
export const columnList = (table: TableName): string =>
  columnNames(table)
    .map((name) => `${table}.${name}`)
    .join(', ')

export const columnNames = (table: TableName): readonly string[] => Object.keys(tables[table])

/** SQLite has no booleans. */
export const toBoolean = (value: boolean | number): boolean => value === true || value === 1
