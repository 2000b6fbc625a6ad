import type { Micros } from '../../lib/time.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { deploymentEvent } from './events.ts'
import { readDeployments } from './store.ts'

/** Ready deployments are left alone: what polls their queue is written on the queue, once for all of them. */
const notReadyInQueues = statement(
  (dialect) =>
    `select id from deployment where ${dialect.inList('work_queue_id', '$1', 'uuid')} and status = 'NOT_READY' order by id limit $2 ${dialect.forUpdate}`,
)
const polledDeployments = statement(
  (dialect) => `select id, status from deployment where ${dialect.inList('id', '$1', 'uuid')}
    and (status = 'NOT_READY' or last_polled is null or last_polled < $2 or last_polled > $3) order by id ${dialect.forUpdate}`,
)
const setReady = statement((dialect) => `update deployment set status = 'READY', last_polled = $2 where ${dialect.inList('id', '$1', 'uuid')}`)

const staleInQueues = statement(
  (dialect) => `select deployment.id from work_queue join deployment on deployment.work_queue_id = work_queue.id
    where (work_queue.last_polled is null or work_queue.last_polled < $1) and deployment.status = 'READY' and deployment.last_polled < $1
    order by deployment.id limit $2 ${dialect.forUpdate && `${dialect.forUpdate} of deployment`}`,
)
const staleWithoutQueue = statement(
  (dialect) =>
    `select id from deployment where work_queue_id is null and status = 'READY' and last_polled < $1 order by id limit $2 ${dialect.forUpdate}`,
)
const setNotReady = statement((dialect) => `update deployment set status = 'NOT_READY' where ${dialect.inList('id', '$1', 'uuid')}`)

/** Somebody asked these queues for work: their deployments are ready. At most `max` in one go; the next poll finds the others. */
export async function markReadyByQueues({ clock, newId }: ServerContext, tx: Tx, queueIds: readonly string[], max: number): Promise<void> {
  const waiting = await tx.all<{ id: string }>(notReadyInQueues, [tx.dialect.list(queueIds), max])
  await changeStatus(
    tx,
    'ready',
    waiting.map(({ id }) => id),
    clock.now(),
    newId,
  )
}

/** Stamps within it need not be written again. */
interface FreshWindow {
  readonly from: Micros
  readonly to: Micros
}

/** Somebody asked these deployments for work themselves. Those that were ready are stamped again when their stamp is not fresh. */
export async function markReady({ clock, newId }: ServerContext, tx: Tx, ids: readonly string[], fresh: FreshWindow): Promise<void> {
  const now = clock.now()
  const rows = await tx.all<{ id: string; status: string }>(polledDeployments, [tx.dialect.list(ids), fresh.from, fresh.to])
  const again = rows.filter(({ status }) => status === 'READY').map(({ id }) => id)
  if (again.length > 0) await tx.run(setReady, [tx.dialect.list(again), now])
  await changeStatus(
    tx,
    'ready',
    rows.filter(({ status }) => status !== 'READY').map(({ id }) => id),
    now,
    newId,
  )
}

/** Nobody has asked for these since `silentSince`, neither at their queue nor by name. Returns how many were found, `max` at most. */
export async function markStaleDeployments({ clock, newId }: ServerContext, tx: Tx, silentSince: Micros, max: number): Promise<number> {
  const inQueues = await tx.all<{ id: string }>(staleInQueues, [silentSince, max])
  const elsewhere = await tx.all<{ id: string }>(staleWithoutQueue, [silentSince, max - inQueues.length])
  const ids = [...inQueues, ...elsewhere].map(({ id }) => id)
  await changeStatus(tx, 'not-ready', ids, clock.now(), newId)
  return ids.length
}

async function changeStatus(tx: Tx, what: 'ready' | 'not-ready', ids: readonly string[], now: Micros, newId: () => string): Promise<void> {
  if (ids.length === 0) return
  const list = tx.dialect.list(ids)
  await (what === 'ready' ? tx.run(setReady, [list, now]) : tx.run(setNotReady, [list]))
  for (const row of await readDeployments(tx, ids)) tx.emit(deploymentEvent(what, row, newId(), now))
}
