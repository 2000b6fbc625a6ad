import type { ConcurrencyLimitV2Create, ConcurrencyLimitV2Update } from '@millrace/contracts/global-concurrency-limit.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { alreadyExists, notFound } from '../../errors.ts'
import { tagLimitName } from '../../lib/limit-names.ts'
import { hasDecay, type LimitRow, wholeSlots } from '../../runs/slots/decay.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { assertNotNull } from '../request-params.ts'
import { limitEvent } from './events.ts'
import { deleteLeasesOfLimits, deleteLeasesWithoutExpiry, lockLimits } from './lease-store.ts'
import { RequestLedger } from './request-ledger.ts'
import { deleteLimit, findLimit, insertLimit, readLimitByName, updateLimit } from './store.ts'

/** The occupancy average of a new limit. */
const initialOccupancySeconds = 2

const nameTaken = (name: string) => alreadyExists(`A concurrency limit by the name ${name}`)

/** Reads a limit, or throws "not found". */
async function requireLimit(tx: Tx, idOrName: string): Promise<LimitRow> {
  const limit = await findLimit(tx, idOrName)
  if (!limit) throw notFound('Concurrency limit')
  return limit
}

export const createLimit =
  (context: ServerContext, body: Received<typeof ConcurrencyLimitV2Create>) =>
  async (tx: Tx): Promise<LimitRow> => {
    const { clock, newId } = context
    const now = clock.now()
    const row: LimitRow = {
      id: newId(),
      created: now,
      updated: now,
      name: body.name,
      active: body.active,
      slots: body.limit,
      slot_decay_per_second: body.slot_decay_per_second,
      avg_slot_occupancy_seconds: initialOccupancySeconds,
      decaying_slots: body.slot_decay_per_second > 0 ? body.active_slots : 0,
      denied_slots: body.denied_slots,
      settled: now,
    }
    // Read first: on PostgreSQL a rejection after a write makes the write queue retry the whole batch.
    if ((await readLimitByName(tx, body.name)) || !(await insertLimit(tx, row))) throw nameTaken(body.name)
    if (body.active_slots > 0 && !hasDecay(row)) await setUsedSlots(tx, context, row.id, body.active_slots)
    tx.emit(limitEvent('created', row, newId(), now))
    return row
  }

/** Updates the given fields. */
export const changeLimit =
  (context: ServerContext, idOrName: string, body: ConcurrencyLimitV2Update) =>
  async (tx: Tx): Promise<LimitRow> => {
    const before = await requireLimit(tx, idOrName)
    assertNotNull(body, 'active', 'name', 'limit', 'active_slots', 'denied_slots', 'slot_decay_per_second')
    if (body.name != null && body.name !== before.name && (await readLimitByName(tx, body.name))) throw nameTaken(body.name)
    const ledger = await RequestLedger.load(tx, context, { ids: [before.id] })
    const row = ledger.limit(before.id)
    if (!row) throw notFound('Concurrency limit')
    const { now } = ledger
    const used = ledger.usedSlots(row)
    const next: LimitRow = {
      ...row,
      updated: now,
      name: body.name ?? row.name,
      active: body.active ?? toBoolean(row.active),
      slots: body.limit ?? row.slots,
      slot_decay_per_second: body.slot_decay_per_second ?? row.slot_decay_per_second,
      denied_slots: body.denied_slots ?? ledger.deniedSlots(row),
      settled: now,
    }
    // Slots of a limit with decay are a level, others are leases. The number in use stays the same when one becomes the other.
    next.decaying_slots = hasDecay(next) ? (body.active_slots ?? used) : 0
    await updateLimit(tx, next).catch((error) => {
      throw tx.dialect.isUniqueViolation(error) ? nameTaken(next.name) : error
    })
    if (!hasDecay(next) && (body.active_slots != null || hasDecay(row)))
      await setUsedSlots(tx, context, row.id, body.active_slots ?? wholeSlots(used))
    if (hasDecay(next) && !hasDecay(row)) await deleteLeasesWithoutExpiry(tx, [row.id])
    // The change may have freed slots.
    tx.notify('slots')
    tx.emit(limitEvent('updated', next, context.newId(), now))
    return next
  }

/** Deletes a limit. With 'stay', leases outlive it, so that holders do not lose a lease that no longer limits anything. */
export const removeLimit =
  ({ clock, newId }: ServerContext, idOrName: string, leases: 'stay' | 'end') =>
  async (tx: Tx): Promise<void> => {
    const row = await requireLimit(tx, idOrName)
    // Waits for transactions that acquire slots, so that their leases are deleted too.
    await lockLimits(tx, [], [row.id])
    await (leases === 'end' ? deleteLeasesOfLimits : deleteLeasesWithoutExpiry)(tx, [row.id])
    await deleteLimit(tx, row.id)
    tx.notify('slots')
    tx.emit(limitEvent('deleted', row, newId(), clock.now()))
  }

/** Ends all leases of a tag's limit, then gives one slot to each of the task runs, even beyond the limit. */
export const resetTagLimit =
  (context: ServerContext, tag: string, taskRunIds: readonly string[]) =>
  async (tx: Tx): Promise<void> => {
    const { id } = await requireLimit(tx, tagLimitName(tag))
    // Locked before the delete: leases that are acquired meanwhile come later and survive.
    await lockLimits(tx, [], [id])
    await deleteLeasesOfLimits(tx, [id])
    const ledger = await RequestLedger.load(tx, context, { ids: [id] })
    const limits = [ledger.limit(id)].filter((limit) => limit !== undefined)
    for (const limit of limits) ledger.setDecayingSlots(limit, 0)
    for (const taskRunId of taskRunIds) ledger.acquire(limits, 1, { seconds: null, holder: { type: 'task_run', id: taskRunId } })
    await ledger.flush(tx)
    tx.notify('slots')
  }

/** Sets the slots in use of a limit without decay: acquires anonymous slots, or releases anonymous ones first. */
async function setUsedSlots(tx: Tx, context: ServerContext, id: string, slots: number): Promise<void> {
  const ledger = await RequestLedger.load(tx, context, { ids: [id], anonymousSlots: Number.MAX_SAFE_INTEGER })
  const limit = ledger.limit(id) as LimitRow
  const missing = slots - ledger.usedSlots(limit)
  if (missing > 0) ledger.acquire([{ ...limit, active: true }], missing, null)
  else if (missing < 0) ledger.releaseAnonymous(limit, -missing)
  await ledger.flush(tx)
}
