import type { QueueFilter, WorkQueueUpdate } from '@millrace/contracts/work-queue.ts'
import { conflict, notFound } from '../../errors.ts'
import { nullableJsonText } from '../../lib/json.ts'
import { addSeconds, type Micros, toMicros } from '../../lib/time.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { fieldChanges } from '../field-changes.ts'
import { assertNotNull } from '../request-params.ts'
import { lockPool } from '../work-pools/store.ts'
import { queueEvent, queueStatusEvent, queueUpdatedEvent } from './events.ts'
import { lowestFreePriority, shiftPriorities } from './priorities.ts'
import {
  deleteQueueRow,
  insertQueue,
  type QueueRow,
  type QueueWithPool,
  readPriorities,
  readQueue,
  readQueuesOfPool,
  updatePriorities,
  updateQueueRow,
} from './store.ts'

export interface QueueDraft {
  readonly name: string
  readonly description?: string | null
  readonly is_paused?: boolean
  readonly concurrency_limit?: number | null
  readonly priority?: number | null
  readonly filter?: QueueFilter | null
}

const nameTaken = (name: string | undefined, poolName: string) => conflict(`A work queue named "${name}" already exists in work pool "${poolName}"`)

/** Creates a queue in a pool whose row is locked. Without a priority it gets the lowest free one; with one, other queues move down. */
export async function createQueue(
  { clock, newId }: ServerContext,
  tx: Tx,
  pool: { id: string; name: string; type: string },
  draft: QueueDraft,
  { movesOthers = draft.priority != null }: { readonly movesOthers?: boolean } = {},
): Promise<QueueWithPool> {
  const others = await readPriorities(tx, pool.id)
  if (others.some(({ name }) => name === draft.name)) throw nameTaken(draft.name, pool.name)
  const now = clock.now()
  const row = {
    id: newId(),
    created: now,
    updated: now,
    work_pool_id: pool.id,
    name: draft.name,
    description: draft.description ?? '',
    is_paused: draft.is_paused ?? false,
    concurrency_limit: draft.concurrency_limit ?? null,
    priority: draft.priority ?? lowestFreePriority(others),
    filter: nullableJsonText(draft.filter),
    last_polled: null,
    // As in the reference, a queue that is created paused gets the status PAUSED only when it is paused again.
    status: 'NOT_READY',
  }
  await insertQueue(tx, row)
  if (movesOthers) await updatePriorities(tx, shiftPriorities(others, row), now)
  const queue = { ...row, work_pool_name: pool.name, work_pool_type: pool.type }
  tx.emit(queueEvent('created', queue, newId(), now))
  return queue
}

/** Fields that the updated event reports. A pause is reported as a status; polls and the deprecated filter are not reported. */
const tracked = { name: 'value', description: 'value', concurrency_limit: 'value', priority: 'value' } as const

/** Updates the given fields. */
export async function updateQueue({ clock, newId, config }: ServerContext, tx: Tx, found: QueueWithPool, body: WorkQueueUpdate): Promise<void> {
  const now = clock.now()
  await lockPool(tx, found.work_pool_id)
  const queue = await readQueue(tx, found.id)
  if (!queue) throw notFound('Work queue')
  assertNotNull(body, 'name', 'description', 'priority')
  const others = await readPriorities(tx, queue.work_pool_id)
  const change = toColumns(body)
  if (others.some(({ id, name }) => name === change.name && id !== queue.id)) throw nameTaken(change.name, queue.work_pool_name)
  const recent = addSeconds(now, -config.services.worker_monitor.work_queue_last_polled_timeout_seconds)
  const status = statusAfter(queue, change, recent)
  const row = { ...queue, ...change, ...(status ? { status } : {}) }
  await updateQueueRow(tx, { id: queue.id, updated: now, ...change, ...(status ? { status } : {}) })
  if (change.priority !== undefined) await updatePriorities(tx, shiftPriorities(others, row), now)

  const changes = fieldChanges<QueueRow>(queue, change, tracked)
  if (Object.keys(changes).length > 0) tx.emit(queueUpdatedEvent(row, changes, newId(), now))
  if (status) tx.emit(queueStatusEvent(row, newId(), now))
}

function toColumns(body: WorkQueueUpdate): Partial<QueueRow> {
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

/** The new status if the update pauses or resumes the queue. */
function statusAfter(queue: QueueRow, { is_paused, last_polled = queue.last_polled }: Partial<QueueRow>, recent: Micros): string | undefined {
  if (is_paused === true && queue.status !== 'PAUSED') return 'PAUSED'
  if (is_paused !== false || queue.status !== 'PAUSED') return undefined
  return last_polled !== null && last_polled >= recent ? 'READY' : 'NOT_READY'
}

/** Deletes a queue. Its runs and deployments stay, without a queue. The default queue of a pool cannot be deleted. */
export async function deleteQueue({ clock, newId }: ServerContext, tx: Tx, queue: QueueWithPool): Promise<void> {
  const pool = await lockPool(tx, queue.work_pool_id)
  if (pool?.default_queue_id === queue.id)
    throw conflict(`Cannot delete the default queue of work pool "${queue.work_pool_name}". Delete the pool instead.`)
  await deleteQueueRow(tx, queue.id)
  tx.emit(queueEvent('deleted', queue, newId(), clock.now()))
}

/** Emits the deletion of every queue of a pool, before the pool is deleted. */
export async function emitQueuesDeleted({ clock, newId }: ServerContext, tx: Tx, poolId: string): Promise<void> {
  for (const queue of await readQueuesOfPool(tx, poolId)) tx.emit(queueEvent('deleted', queue, newId(), clock.now()))
}
