import type { Action } from '@millrace/contracts/action.ts'
import type { Micros } from '../lib/time.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import type { Row } from '../storage/tables.ts'

/** A queued action. The row is deleted in the transaction that executes the action. */
export type QueuedAction = Row<'automation_invocation'>

/** Topics that wake the services which execute actions. */
export const actionsQueued = 'automation-actions'
export const outboundActionsQueued = 'automation-outbound-actions'

const outboundTypes: ReadonlySet<Action['type']> = new Set(['call-webhook', 'send-notification'])

/** Whether the action sends a request to another system. Such an action is claimed before it runs. */
export const isOutbound = ({ type }: Action): boolean => outboundTypes.has(type)

const queuedActions = statement('select * from automation_invocation where outbound = $1 and claimed is null and id > $2 order by id limit $3')
const claimedBefore = statement('select * from automation_invocation where claimed < $1 order by claimed limit $2')
const claim = statement('update automation_invocation set claimed = $2 where id = $1 and claimed is null')
// A row that another server has locked is skipped: that server will delete it.
const lock = statement((dialect) => `select id from automation_invocation where id = $1 ${dialect.skipLocked}`)
const incrementAttempts = statement('update automation_invocation set attempts = attempts + 1 where id = $1')
const remove = statement('delete from automation_invocation where id = $1')
const firing = statement('select body from automation_firing where id = $1')
const lockFiring = statement((dialect) => `select id from automation_firing where id = $1 ${dialect.forUpdate}`)
const removeFiring = statement(
  'delete from automation_firing where id = $1 and not exists (select 1 from automation_invocation where automation_invocation.firing_id = automation_firing.id)',
)

/** Stores firings with their actions and wakes the services that execute them. */
export async function enqueueActions(tx: Tx, firings: readonly Row<'automation_firing'>[], actions: readonly QueuedAction[]): Promise<void> {
  await tx.insert('automation_firing', firings)
  await tx.insert('automation_invocation', actions)
  if (actions.some(({ outbound }) => !outbound)) tx.notify(actionsQueued)
  if (actions.some(({ outbound }) => outbound)) tx.notify(outboundActionsQueued)
}

/** Unclaimed actions, oldest first, after the given id. */
export const readQueuedActions = (db: Db, outbound: boolean, after: string, limit: number): Promise<QueuedAction[]> =>
  db.all<QueuedAction>(queuedActions, [outbound, after, limit])

/** Actions that were claimed before the given time. The server that claimed them has stopped. */
export const readClaimedBefore = (db: Db, time: Micros, limit: number): Promise<QueuedAction[]> => db.all<QueuedAction>(claimedBefore, [time, limit])

/** False when the action is already claimed or deleted. */
export const claimAction = async (tx: Tx, id: string, now: Micros): Promise<boolean> => (await tx.run(claim, [id, now])) > 0

/** Locks an action until the commit. The lock on the firing serializes its actions, so that the last one can delete the firing. */
export async function lockAction(tx: Tx, { id, firing_id }: QueuedAction): Promise<boolean> {
  if ((await tx.first(lock, [id])) === undefined) return false
  await tx.first(lockFiring, [firing_id])
  return true
}

export const countAttempt = (tx: Tx, id: string): Promise<number> => tx.run(incrementAttempts, [id])

export const readFiringBody = async (db: Db, id: string): Promise<string | undefined> => (await db.first<{ body: string }>(firing, [id]))?.body

/** Deletes an action, and its firing with the last action. */
export async function dequeueAction(tx: Tx, { id, firing_id }: QueuedAction): Promise<void> {
  await tx.run(remove, [id])
  await tx.run(removeFiring, [firing_id])
}
