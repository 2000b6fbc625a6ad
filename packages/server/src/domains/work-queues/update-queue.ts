import type { WorkQueueUpdate } from '@millrace/contracts/work-queue.ts'
import { conflict, notFound } from '../../errors.ts'
import { nullableJsonText } from '../../lib/json.ts'
import { addSeconds, type Micros, toMicros } from '../../lib/time.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { fieldChanges } from '../field-changes.ts'
import { assertNotNull } from '../request-params.ts'
import { lockPool } from '../work-pools/store.ts'
import { queueStatusEvent, queueUpdatedEvent } from './events.ts'
import { shiftPriorities } from './priorities.ts'
import { type QueueRow, type QueueWithPool, readPriorities, readQueue, updatePriorities, updateQueueRow as writeQueue } from './store.ts'

/** Pausing shows as a status, polls come by themselves and filters are deprecated: none of them is told as a change. */
const tracked = { name: 'value', description: 'value', concurrency_limit: 'value', priority: 'value' } as const

/** Changes what is given. */
export async function updateQueue({ clock, newId, config }: ServerContext, tx: Tx, found: QueueWithPool, body: WorkQueueUpdate): Promise<void> {
  const now = clock.now()
  await lockPool(tx, found.work_pool_id)
  const queue = await readQueue(tx, found.id)
  if (!queue) throw notFound('Work queue')
  assertNotNull(body, 'name', 'description', 'priority')
  const others = await readPriorities(tx, queue.work_pool_id)
  const change = columnsOf(body)
  if (others.some(({ id, name }) => name === change.name && id !== queue.id)) {
    throw conflict(`A work queue named "${change.name}" already exists in work pool "${queue.work_pool_name}"`)
  }
  const recent = addSeconds(now, -config.services.worker_monitor.work_queue_last_polled_timeout_seconds)
  const status = statusAfter(queue, change, recent)
  const row = { ...queue, ...change, ...(status ? { status } : {}) }
  await writeQueue(tx, { id: queue.id, updated: now, ...change, ...(status ? { status } : {}) })
  if (change.priority !== undefined) await updatePriorities(tx, shiftPriorities(others, row), now)

  const changes = fieldChanges<QueueRow>(queue, change, tracked)
  if (Object.keys(changes).length > 0) tx.emit(queueUpdatedEvent(row, changes, newId(), now))
  if (status) tx.emit(queueStatusEvent(row, newId(), now))
}

function columnsOf(body: WorkQueueUpdate): Partial<QueueRow> {
  return {
    ...(body.name == null ? {} : { name: body.name }),
    ...(body.description == null ? {} : { description: body.description }),
    ...(body.is_paused === undefined ? {} : { is_paused: body.is_paused }),
    ...(body.concurrency_limit === undefined ? {} : { concurrency_limit: body.concurrency_limit }),
    ...(body.priority == null ? {} : { priority: body.priority }),
    ...(body.last_polled === undefined ? {} : { last_polled: body.last_polled === null ? null : toMicros(body.last_polled) }),
    ...(body.filter === undefined ? {} : { filter: nullableJsonText(body.filter) }),
  }
}

/** The new status, if pausing or going on makes one. */
function statusAfter(queue: QueueRow, { is_paused, last_polled = queue.last_polled }: Partial<QueueRow>, recent: Micros): string | undefined {
  if (is_paused === true && queue.status !== 'PAUSED') return 'PAUSED'
  if (is_paused !== false || queue.status !== 'PAUSED') return undefined
  return last_polled !== null && last_polled >= recent ? 'READY' : 'NOT_READY'
}
