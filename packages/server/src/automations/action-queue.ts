import type { Micros } from '../lib/time.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import type { Row } from '../storage/tables.ts'

/** An action on the list of those that are to be taken. */
export type QueuedAction = Row<'automation_invocation'>

const queuedActions = statement('select * from automation_invocation where outbound = $1 and claimed is null and id > $2 order by id limit $3')
const claimedBefore = statement('select * from automation_invocation where claimed < $1 order by claimed limit $2')
const claim = statement('update automation_invocation set claimed = $2 where id = $1 and claimed is null')
// Passed by when another server has it: it will be gone then.
const lock = statement((dialect) => `select id from automation_invocation where id = $1 ${dialect.skipLocked}`)
const incrementAttempts = statement('update automation_invocation set attempts = attempts + 1 where id = $1')
const remove = statement('delete from automation_invocation where id = $1')
const firing = statement('select body from automation_firing where id = $1')
const lockFiring = statement((dialect) => `select id from automation_firing where id = $1 ${dialect.forUpdate}`)
const removeFiring = statement(
  'delete from automation_firing where id = $1 and not exists (select 1 from automation_invocation where automation_invocation.firing_id = automation_firing.id)',
)

/** Actions nobody has taken yet, oldest first, from after one that was looked at already. */
export const readQueuedActions = (db: Db, outbound: boolean, after: string, limit: number): Promise<QueuedAction[]> =>
  db.all<QueuedAction>(queuedActions, [outbound, after, limit])

/** Actions that were claimed long ago: whoever claimed them is gone. */
export const readClaimedBefore = (db: Db, time: Micros, limit: number): Promise<QueuedAction[]> => db.all<QueuedAction>(claimedBefore, [time, limit])

/** False when it was claimed before, or is gone. */
export const claimAction = async (tx: Tx, id: string, now: Micros): Promise<boolean> => (await tx.run(claim, [id, now])) > 0

/** Holds an action to the commit. Actions of one firing wait for each other, so that the last one knows that it is. */
export async function lockAction(tx: Tx, { id, firing_id }: QueuedAction): Promise<boolean> {
  if ((await tx.first(lock, [id])) === undefined) return false
  await tx.first(lockFiring, [firing_id])
  return true
}

export const countAttempt = (tx: Tx, id: string): Promise<number> => tx.run(incrementAttempts, [id])

export const readFiringBody = async (db: Db, id: string): Promise<string | undefined> => (await db.first<{ body: string }>(firing, [id]))?.body

/** Takes it off the list; with the last of its firing goes what was kept of that. */
export async function dequeueAction(tx: Tx, { id, firing_id }: QueuedAction): Promise<void> {
  await tx.run(remove, [id])
  await tx.run(removeFiring, [firing_id])
}
