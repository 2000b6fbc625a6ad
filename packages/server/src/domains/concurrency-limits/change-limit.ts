import type { ConcurrencyLimitV2Create, ConcurrencyLimitV2Update } from '@millrace/contracts/global-concurrency-limit.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { alreadyExists, notFound } from '../../errors.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { assertNotNull } from '../request-params.ts'
import { hasDecay, type LimitRow, wholeSlots } from './decay.ts'
import { limitEvent } from './events.ts'
import { deleteLeasesOf, deleteLeasesWithoutExpiry, lockLimits } from './lease-store.ts'
import { SlotLedger } from './slot-ledger.ts'
import { deleteLimit, findLimit, insertLimit, readLimitByName, updateLimit } from './store.ts'

/** What a new limit takes a slot to be held for, until it knows. */
const initialOccupancySeconds = 2

const ledgerContext = ({ clock, newId, config }: ServerContext) => ({ now: clock.now(), newId, ...config.concurrency })

const nameTaken = (name: string) => alreadyExists(`A concurrency limit by the name ${name}`)

export const createLimit =
  (context: ServerContext, body: Received<typeof ConcurrencyLimitV2Create>) =>
  async (tx: Tx): Promise<LimitRow> => {
    const maker = ledgerContext(context)
    const { now, newId } = maker
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
    // Looked up first, because on PostgreSQL a refusal after a write costs the whole batch another try.
    if ((await readLimitByName(tx, body.name)) || !(await insertLimit(tx, row))) throw nameTaken(body.name)
    if (body.active_slots > 0 && !hasDecay(row)) await setUsedSlots(tx, row.id, body.active_slots, maker)
    tx.emit(limitEvent('created', row, newId(), now))
    return row
  }

/** Changes what is given. */
export const changeLimit =
  (context: ServerContext, idOrName: string, body: ConcurrencyLimitV2Update) =>
  async (tx: Tx): Promise<LimitRow> => {
    const known = await findLimit(tx, idOrName)
    if (!known) throw notFound('Concurrency limit')
    assertNotNull(body, 'active', 'name', 'limit', 'active_slots', 'denied_slots', 'slot_decay_per_second')
    if (body.name != null && body.name !== known.name && (await readLimitByName(tx, body.name))) throw nameTaken(body.name)
    const maker = ledgerContext(context)
    const ledger = await SlotLedger.load(tx, { ids: [known.id] }, maker)
    const row = ledger.limit(known.id)
    if (!row) throw notFound('Concurrency limit')
    const inUse = ledger.usedSlots(row)
    const next: LimitRow = {
      ...row,
      updated: maker.now,
      name: body.name ?? row.name,
      active: body.active ?? toBoolean(row.active),
      slots: body.limit ?? row.slots,
      slot_decay_per_second: body.slot_decay_per_second ?? row.slot_decay_per_second,
      denied_slots: body.denied_slots ?? ledger.deniedSlots(row),
      settled: maker.now,
    }
    // Slots of a limit with decay are a level, those of others are leases: where one becomes the other, as many stay in use.
    next.decaying_slots = hasDecay(next) ? (body.active_slots ?? inUse) : 0
    await updateLimit(tx, next).catch((error) => {
      throw tx.dialect.isUniqueViolation(error) ? nameTaken(next.name) : error
    })
    if (!hasDecay(next) && (body.active_slots != null || hasDecay(row))) await setUsedSlots(tx, row.id, body.active_slots ?? wholeSlots(inUse), maker)
    if (hasDecay(next) && !hasDecay(row)) await deleteLeasesWithoutExpiry(tx, [row.id])
    // More may be free than before.
    tx.notify('slots')
    tx.emit(limitEvent('updated', next, maker.newId(), maker.now))
    return next
  }

/** Deletes a limit. A lease outlives it, so that its holder is not told that it lost what nobody limits any more; unless leases are to end with it. */
export const removeLimit =
  ({ clock, newId }: ServerContext, idOrName: string, leases: 'stay' | 'end') =>
  async (tx: Tx): Promise<void> => {
    const row = await findLimit(tx, idOrName)
    if (!row) throw notFound('Concurrency limit')
    // Whoever is taking slots comes first, so that what they take goes too.
    await lockLimits(tx, [], [row.id])
    await (leases === 'end' ? deleteLeasesOf : deleteLeasesWithoutExpiry)(tx, [row.id])
    await deleteLimit(tx, row.id)
    tx.notify('slots')
    tx.emit(limitEvent('deleted', row, newId(), clock.now()))
  }

/** Makes the slots in use of a limit without decay as many as asked: takes some for nobody, or gives back those of nobody first. */
async function setUsedSlots(tx: Tx, id: string, slots: number, maker: ReturnType<typeof ledgerContext>): Promise<void> {
  const ledger = await SlotLedger.load(tx, { ids: [id], anonymousSlots: Number.MAX_SAFE_INTEGER }, maker)
  const limit = ledger.limit(id) as LimitRow
  const more = slots - ledger.usedSlots(limit)
  if (more > 0) ledger.acquire([{ ...limit, active: true }], more, null)
  else if (more < 0) ledger.releaseAnonymous(limit, -more)
  await ledger.flush()
}
