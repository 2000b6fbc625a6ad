import { MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { type Batch, statement, type Tx } from '../../storage/database.ts'
import { type ActingContext, perServer, type ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { markReadyByQueues } from '../deployments/deployment-status.ts'
import { queueStatusEvent } from './events.ts'
import type { PolledQueue } from './poll-store.ts'
import type { QueueRow } from './store.ts'

/** Deployments that one poll marks as ready. */
const deploymentsMax = 1000

type PollState = Pick<PolledQueue, 'id' | 'status' | 'last_polled' | 'has_unready_deployments'>

/**
 * Records polls of queues. Workers poll every few seconds and mostly nothing changes, so a new status is written at once and the time
 * only often enough to detect silent queues.
 */
export async function recordPolls(context: ActingContext, queues: readonly PollState[]): Promise<void> {
  const { batch, every, inProgress } = pollRecords(context)
  const now = context.clock.now()
  const due = queues.filter(
    (queue) => (becomesReady(queue) || toBoolean(queue.has_unready_deployments) || isStale(queue, now, every)) && !inProgress.has(queue.id),
  )
  if (due.length === 0) return
  for (const { id } of due) inProgress.add(id)
  try {
    await context.commands.submitTo(
      batch,
      due.map(({ id }) => id),
    )
  } finally {
    for (const { id } of due) inProgress.delete(id)
  }
}

const pollRecords = perServer((context) => ({
  batch: pollRecordBatch(context),
  every: pollRecordInterval(context),
  /** Queues whose poll is being written; concurrent polls need not write it again. */
  inProgress: new Set<string>(),
}))

/** A quarter of the silence after which a queue or deployment becomes NOT_READY. */
export const pollRecordInterval = ({ config }: ServerContext): Micros => {
  const { work_queue_last_polled_timeout_seconds: queue, deployment_last_polled_timeout_seconds: deployment } = config.services.worker_monitor
  return (Math.min(queue, deployment) * MICROS_PER_SECOND) / 4
}

/** Checks the status only. As in the reference, a queue that was created paused has the status NOT_READY and becomes READY. */
const becomesReady = ({ status }: PollState | LockedQueue): boolean => status === 'NOT_READY'

const isStale = ({ last_polled }: PollState | LockedQueue, now: Micros, every: Micros): boolean =>
  // A time in the future was written by a wrong clock.
  last_polled === null || Math.abs(now - last_polled) >= every

interface LockedQueue extends QueueRow {
  readonly work_pool_name: string
  readonly work_pool_type: string
}

/** Subqueries instead of a join, because only the queues are locked. */
const lockQueues = statement(
  (dialect) => `select work_queue.*, (select work_pool.name from work_pool where work_pool.id = work_queue.work_pool_id) as work_pool_name,
      (select work_pool.type from work_pool where work_pool.id = work_queue.work_pool_id) as work_pool_type
    from work_queue where ${dialect.inList('work_queue.id', '$1', 'uuid')} order by work_queue.id ${dialect.forUpdate}`,
)

const pollRecordBatch = (context: ServerContext): Batch<readonly string[], void> => {
  const { clock, newId } = context
  const every = pollRecordInterval(context)
  return async (tx: Tx, polls) => {
    const now = clock.now()
    // Another poll or replica may have written some of this meanwhile.
    const queues = await tx.all<LockedQueue>(lockQueues, [tx.dialect.list([...new Set(polls.flat())])])
    const ready = queues.filter(becomesReady).map((queue) => ({ ...queue, status: 'READY', last_polled: now, updated: now }))
    const stale = queues.filter((queue) => !becomesReady(queue) && isStale(queue, now, every))
    await tx.update(
      'work_queue',
      ready.map(({ id, status, last_polled, updated }) => ({ id, status, last_polled, updated })),
    )
    await tx.update(
      'work_queue',
      stale.map(({ id }) => ({ id, last_polled: now })),
    )
    for (const queue of ready) tx.emit(queueStatusEvent(queue, newId(), now))
    if (queues.length > 0)
      await markReadyByQueues(
        context,
        tx,
        queues.map(({ id }) => id),
        deploymentsMax,
      )
    return polls.map(() => undefined)
  }
}
