import type { Micros } from '../../lib/time.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { Parts } from '../../storage/parts.ts'
import type { Deployment } from './store.ts'

const ownName = (deploymentId: string): string => `deployment:${deploymentId}`

const byName = statement('select id from concurrency_limit where name = $1')
const resize = statement('update concurrency_limit set slots = $1, updated = $2 where id = $3')
const removeByNames = statement((dialect) => `delete from concurrency_limit where ${dialect.inList('name', '$1', 'text')}`)

/**
 * Gives a deployment a limit of its own, changes it or takes it away; answers with the id of the limit that it has then.
 * A limit that is shared with others is let go of, never resized or removed: the reference does both, to the harm of the others.
 */
export async function setOwnLimit(parts: Parts, tx: Tx, row: Pick<Deployment, 'id' | 'concurrency_limit_id' | 'limit_name' | 'limit_slots'>, slots: number | null): Promise<string | null> {
  const name = ownName(row.id)
  const shared = row.concurrency_limit_id !== null && row.limit_name !== name
  if (slots === null) {
    if (!shared) await removeOwnLimits(tx, [row.id])
    return null
  }
  if (shared && row.limit_slots === slots) return row.concurrency_limit_id
  const now = parts.clock.now()
  const own = await tx.first<{ id: string }>(byName, [name])
  if (!own) return insert(parts, tx, name, slots, now)
  await tx.run(resize, [slots, now, own.id])
  // More slots may be free now.
  tx.wake('slots')
  return own.id
}

async function insert({ newId }: Parts, tx: Tx, name: string, slots: number, now: Micros): Promise<string> {
  const id = newId()
  await tx.insert('concurrency_limit', [
    { id, created: now, updated: now, name, active: true, slots, denied_slots: 0, slot_decay_per_second: 0, avg_slot_occupancy_seconds: 2 },
  ])
  return id
}

/** The limits that deployments have to themselves go with them. */
export const removeOwnLimits = (tx: Tx, deploymentIds: readonly string[]): Promise<number> =>
  tx.run(removeByNames, [tx.dialect.list(deploymentIds.map(ownName))])
