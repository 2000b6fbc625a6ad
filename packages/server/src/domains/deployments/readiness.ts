import type { Micros } from '../../lib/time.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { deploymentEvent } from './events.ts'
import { readDeployments } from './store.ts'

/** Ready deployments are left alone: what polls their queue is written on the queue, once for all of them. */
const waitingIn = statement(
  (dialect) =>
    `select id from deployment where ${dialect.inList('work_queue_id', '$1', 'uuid')} and status = 'NOT_READY' order by id limit $2 ${dialect.forUpdate}`,
)
const asked = statement(
  (dialect) => `select id, status from deployment where ${dialect.inList('id', '$1', 'uuid')}
    and (status = 'NOT_READY' or last_polled is null or last_polled < $2 or last_polled > $3) order by id ${dialect.forUpdate}`,
)
const stamp = statement((dialect) => `update deployment set status = 'READY', last_polled = $2 where ${dialect.inList('id', '$1', 'uuid')}`)

const silentInQueues = statement(
  (dialect) => `select deployment.id from work_queue join deployment on deployment.work_queue_id = work_queue.id
    where (work_queue.last_polled is null or work_queue.last_polled < $1) and deployment.status = 'READY' and deployment.last_polled < $1
    order by deployment.id limit $2 ${dialect.forUpdate && `${dialect.forUpdate} of deployment`}`,
)
const silentElsewhere = statement(
  (dialect) =>
    `select id from deployment where work_queue_id is null and status = 'READY' and last_polled < $1 order by id limit $2 ${dialect.forUpdate}`,
)
const fade = statement((dialect) => `update deployment set status = 'NOT_READY' where ${dialect.inList('id', '$1', 'uuid')}`)

/** Somebody asked these queues for work: their deployments are ready. At most `max` in one go; the next poll finds the others. */
export async function readyDeploymentsOfQueues({ clock, newId }: ServerContext, tx: Tx, queueIds: readonly string[], max: number): Promise<void> {
  const waiting = await tx.all<{ id: string }>(waitingIn, [tx.dialect.list(queueIds), max])
  await change(
    tx,
    'ready',
    waiting.map(({ id }) => id),
    clock.now(),
    newId,
  )
}

/** Stamps within it need not be written again. */
interface Fresh {
  readonly from: Micros
  readonly to: Micros
}

/** Somebody asked these deployments for work themselves. Those that were ready are stamped again when their stamp is not fresh. */
export async function readyDeployments({ clock, newId }: ServerContext, tx: Tx, ids: readonly string[], fresh: Fresh): Promise<void> {
  const now = clock.now()
  const rows = await tx.all<{ id: string; status: string }>(asked, [tx.dialect.list(ids), fresh.from, fresh.to])
  const again = rows.filter(({ status }) => status === 'READY').map(({ id }) => id)
  if (again.length > 0) await tx.run(stamp, [tx.dialect.list(again), now])
  await change(
    tx,
    'ready',
    rows.filter(({ status }) => status !== 'READY').map(({ id }) => id),
    now,
    newId,
  )
}

/** Nobody has asked for these since `silentSince`, neither at their queue nor by name. Returns how many were found, `max` at most. */
export async function fadeDeployments({ clock, newId }: ServerContext, tx: Tx, silentSince: Micros, max: number): Promise<number> {
  const inQueues = await tx.all<{ id: string }>(silentInQueues, [silentSince, max])
  const elsewhere = await tx.all<{ id: string }>(silentElsewhere, [silentSince, max - inQueues.length])
  const ids = [...inQueues, ...elsewhere].map(({ id }) => id)
  await change(tx, 'not-ready', ids, clock.now(), newId)
  return ids.length
}

async function change(tx: Tx, what: 'ready' | 'not-ready', ids: readonly string[], now: Micros, newId: () => string): Promise<void> {
  if (ids.length === 0) return
  const list = tx.dialect.list(ids)
  await (what === 'ready' ? tx.run(stamp, [list, now]) : tx.run(fade, [list]))
  for (const row of await readDeployments(tx, ids)) tx.emit(deploymentEvent(what, row, newId(), now))
}
