import { stateTypes } from '@millrace/contracts/state.ts'
import { sql } from 'kysely'
import { Gauge, Registry } from 'prom-client'
import { readDatabaseBytes, readKindStats, retentionDays, retentionKinds } from '../domains/admin/retention-store.ts'
import { listLimitUsages, usedSlots } from '../domains/concurrency-limits/store.ts'
import { countByStateType } from '../domains/run-counts.ts'
import { holdsQueueSlot } from '../domains/work-queues/poll-store.ts'
import { readHead } from '../events/cursor.ts'
import { type Micros, monotonicSeconds, secondsBetween } from '../lib/time.ts'
import { statement } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { toBoolean } from '../storage/tables.ts'

/** Shorter scrape intervals, and several scrapers, cost no more than this one. */
const readSecondsMin = 5

/** More queues or limits than this are left out, because each is several time series. */
const rowsMax = 1000

const queueRows = statement(
  `select work_pool.name as pool, work_queue.name as queue,
    (select count(*) from flow_run where work_queue_id = work_queue.id and state_type = 'SCHEDULED' and next_scheduled_start_time <= $1) as due,
    (select min(next_scheduled_start_time) from flow_run where work_queue_id = work_queue.id and state_type = 'SCHEDULED') as next
  from work_queue join work_pool on work_pool.id = work_queue.work_pool_id order by work_pool.name, work_queue.name limit ${rowsMax}`,
)
const activeRows = statement(
  `select work_pool.name as pool, work_queue.name as queue, active.state_type as state_type, active.runs as runs
  from (select work_queue_id, state_type, count(*) as runs from flow_run
    where work_queue_id is not null and ${holdsQueueSlot} group by work_queue_id, state_type) active
  join work_queue on work_queue.id = active.work_queue_id join work_pool on work_pool.id = work_queue.work_pool_id limit ${rowsMax}`,
)
/** Without an enabled automation nobody reads the log, and the cursor stays where it is. */
const automationLag = statement(
  `select (select count(*) from event where position > seen) as events, (select min(received) from event where position > seen) as oldest
  from event_cursor where name = 'automations' and exists (select 1 from automation where enabled)`,
)
const tailEvents = statement('select count(*) as events from event')
const waitingActions = statement('select count(*) as actions from automation_invocation')

/** What the database knows about runs, queues, limits and the event log. Equal on all replicas. */
export class DatabaseMetrics {
  readonly registry = new Registry()
  readonly #context: ServerContext
  #reading: Promise<void> | undefined
  #readAt = Number.NEGATIVE_INFINITY
  readonly #active = this.#gauge('millrace_flow_runs_active', 'Flow runs that occupy a work queue, by state type.', [
    'work_pool',
    'work_queue',
    'state_type',
  ])
  readonly #runs = this.#gauge('millrace_flow_runs', 'All flow runs by state type.', ['state_type'])
  readonly #due = this.#gauge('millrace_work_queue_due_runs', 'Scheduled flow runs whose time has come and that no worker has taken yet.', [
    'work_pool',
    'work_queue',
  ])
  readonly #lateness = this.#gauge('millrace_work_queue_lateness_seconds', 'Time that the oldest due flow run of a work queue has waited.', [
    'work_pool',
    'work_queue',
  ])
  readonly #slots = this.#gauge('millrace_concurrency_limit_slots', 'Slots of an active concurrency limit.', ['limit'])
  readonly #taken = this.#gauge('millrace_concurrency_limit_slots_taken', 'Slots of a concurrency limit that are in use.', ['limit'])
  readonly #head = this.#gauge('millrace_event_log_position', 'Position of the newest event.', [])
  readonly #tail = this.#gauge('millrace_event_log_tail_events', 'Events that are not in a compressed segment yet.', [])
  readonly #lag = this.#gauge('millrace_automation_lag_events', 'Events that the automations have not evaluated yet.', [])
  readonly #lagSeconds = this.#gauge('millrace_automation_lag_seconds', 'Time that the oldest of these events has waited.', [])
  readonly #actions = this.#gauge('millrace_automation_actions_waiting', 'Actions of automations that wait for their execution.', [])
  readonly #bytes = this.#gauge('millrace_database_bytes', 'Size of the database.', [])
  readonly #oldest = this.#gauge('millrace_retention_oldest_age_seconds', 'Age of the oldest row that retention applies to.', ['kind'])
  readonly #days = this.#gauge('millrace_retention_seconds', 'Time that rows are kept; absent without a limit.', ['kind'])
  readonly #replicaLag = this.#gauge('millrace_read_replica_lag_seconds', 'Lag of the read replica by whether it is used; absent without one.', [
    'state',
  ])

  constructor(context: ServerContext) {
    this.#context = context
  }

  #gauge<L extends string>(name: string, help: string, labelNames: readonly L[]): Gauge<L> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] })
  }

  /** Reads the values again if they are older than some seconds. */
  async refresh(): Promise<void> {
    if (monotonicSeconds() - this.#readAt < readSecondsMin) return
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    await this.#reading
  }

  async #read(): Promise<void> {
    const { heavyReads: reads, clock, config, replicaStatus } = this.#context
    const now = clock.now()
    const [runs, queues, active, limits, unread, tail, head, actions, bytes] = await Promise.all([
      countByStateType(reads, 'flow_run', sql<boolean>`1 = 1`),
      reads.all<{ pool: string; queue: string; due: number; next: Micros | null }>(queueRows, [now]),
      reads.all<{ pool: string; queue: string; state_type: string; runs: number }>(activeRows),
      listLimitUsages(reads, { now, graceSeconds: 0 }, rowsMax, 0),
      reads.first<{ events: number; oldest: Micros | null }>(automationLag),
      reads.first<{ events: number }>(tailEvents),
      readHead(reads),
      reads.first<{ actions: number }>(waitingActions),
      readDatabaseBytes(reads),
    ])
    this.registry.resetMetrics()
    for (const type of stateTypes) this.#runs.set({ state_type: type }, Number(runs.get(type) ?? 0))
    for (const { pool, queue, due, next } of queues) {
      this.#due.set({ work_pool: pool, work_queue: queue }, Number(due))
      this.#lateness.set({ work_pool: pool, work_queue: queue }, next === null ? 0 : Math.max(0, secondsBetween(next, now)))
    }
    for (const { pool, queue, state_type, runs } of active) this.#active.set({ work_pool: pool, work_queue: queue, state_type }, Number(runs))
    for (const limit of limits.filter(({ active }) => toBoolean(active))) {
      this.#slots.set({ limit: limit.name }, limit.slots)
      this.#taken.set({ limit: limit.name }, usedSlots(limit, now))
    }
    this.#head.set(head)
    this.#tail.set(Number(tail?.events ?? 0))
    this.#lag.set(Number(unread?.events ?? 0))
    this.#lagSeconds.set(unread?.oldest == null ? 0 : Math.max(0, secondsBetween(unread.oldest, now)))
    this.#actions.set(Number(actions?.actions ?? 0))
    this.#bytes.set(bytes)
    const days = retentionDays(config)
    for (const kind of retentionKinds) {
      const { oldest } = await readKindStats(reads, kind)
      this.#oldest.set({ kind }, oldest === null ? 0 : Math.max(0, secondsBetween(oldest, now)))
      const limit = days[kind]
      if (limit !== null) this.#days.set({ kind }, limit * 86_400)
    }
    const replica = replicaStatus?.()
    if (replica && replica.lag_seconds !== null) this.#replicaLag.set({ state: replica.state }, replica.lag_seconds)
    this.#readAt = monotonicSeconds()
  }
}
