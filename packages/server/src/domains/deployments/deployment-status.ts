import type { Micros } from '../../lib/time.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { deploymentEvent } from './events.ts'
import { readDeployments } from './store.ts'

/** Skips ready deployments: polls are recorded on their queue, once for all of them. */
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

/** Marks deployments of polled queues as ready, at most `max`; the next poll marks the others. */
export async function markReadyByQueues({ clock, newId }: ServerContext, tx: Tx, queueIds: readonly string[], max: number): Promise<void> {
  const notReady = await tx.all<{ id: string }>(notReadyInQueues, [tx.dialect.list(queueIds), max])
  await changeStatus(
    tx,
    'ready',
    notReady.map(({ id }) => id),
    clock.now(),
    newId,
  )
}

/** A `last_polled` within this window is not written again. */
interface FreshWindow {
  readonly from: Micros
  readonly to: Micros
}

/** Marks directly polled deployments as ready. Updates `last_polled` of ready ones if it is outside the window. */
export async function markReady({ clock, newId }: ServerContext, tx: Tx, ids: readonly string[], fresh: FreshWindow): Promise<void> {
  const now = clock.now()
  const rows = await tx.all<{ id: string; status: string }>(polledDeployments, [tx.dialect.list(ids), fresh.from, fresh.to])
  const ready = rows.filter(({ status }) => status === 'READY').map(({ id }) => id)
  if (ready.length > 0) await tx.run(setReady, [tx.dialect.list(ready), now])
  await changeStatus(
    tx,
    'ready',
    rows.filter(({ status }) => status !== 'READY').map(({ id }) => id),
    now,
    newId,
  )
}

/** Marks at most `max` deployments as not ready that were not polled since `silentSince`, directly or by queue. Returns their number. */
export async function markStaleDeployments({ clock, newId }: ServerContext, tx: Tx, silentSince: Micros, max: number): Promise<number> {
  const inQueues = await tx.all<{ id: string }>(staleInQueues, [silentSince, max])
  const withoutQueue = await tx.all<{ id: string }>(staleWithoutQueue, [silentSince, max - inQueues.length])
  const ids = [...inQueues, ...withoutQueue].map(({ id }) => id)
  await changeStatus(tx, 'not-ready', ids, clock.now(), newId)
  return ids.length
}

async function changeStatus(tx: Tx, what: 'ready' | 'not-ready', ids: readonly string[], now: Micros, newId: () => string): Promise<void> {
  if (ids.length === 0) return
  const list = tx.dialect.list(ids)
  await (what === 'ready' ? tx.run(setReady, [list, now]) : tx.run(setNotReady, [list]))
  for (const row of await readDeployments(tx, ids)) tx.emit(deploymentEvent(what, row, newId(), now))
}
