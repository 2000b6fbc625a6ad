import type { LimitRow } from '../../runs/slots/decay.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { lockLimits } from '../concurrency-limits/lease-store.ts'
import { insertLimit, readLimit, updateLimit } from '../concurrency-limits/store.ts'
import type { DeploymentRow } from './store.ts'

/** The name of the limit that belongs to one deployment. */
const limitName = (deploymentId: string): string => `deployment:${deploymentId}`

const removeByNames = statement((dialect) => `delete from concurrency_limit where ${dialect.inList('name', '$1', 'text')}`)

/**
 * Creates, updates or removes the deployment's own limit and returns the id of its limit. A shared limit is detached, never resized or
 * removed; the reference does both, which changes other deployments.
 */
export async function setDeploymentLimit(
  context: ServerContext,
  tx: Tx,
  row: Pick<DeploymentRow, 'id' | 'concurrency_limit_id'>,
  slots: number | null,
): Promise<string | null> {
  if (slots === null) {
    await removeDeploymentLimits(tx, [row.id])
    return null
  }
  const current = row.concurrency_limit_id === null ? undefined : await readLimit(tx, row.concurrency_limit_id)
  if (current?.slots === slots) return current.id
  const [own] = await lockLimits(tx, [limitName(row.id)], [])
  if (!own) return insertDeploymentLimit(context, tx, limitName(row.id), slots)
  await updateLimit(tx, { ...own, slots, updated: context.clock.now() })
  // The change may have freed slots.
  tx.notify('slots')
  return own.id
}

async function insertDeploymentLimit({ newId, clock }: ServerContext, tx: Tx, name: string, slots: number): Promise<string> {
  const now = clock.now()
  const limit: LimitRow = {
    id: newId(),
    created: now,
    updated: now,
    name,
    active: true,
    slots,
    slot_decay_per_second: 0,
    avg_slot_occupancy_seconds: 2,
    decaying_slots: 0,
    denied_slots: 0,
    settled: now,
  }
  await insertLimit(tx, limit)
  return limit.id
}

/** Deletes the deployments' own limits and wakes the runs that wait for their slots. */
export async function removeDeploymentLimits(tx: Tx, deploymentIds: readonly string[]): Promise<void> {
  if ((await tx.run(removeByNames, [tx.dialect.list(deploymentIds.map(limitName))])) > 0) tx.notify('slots')
}
