import type { ConcurrencyLimit } from '@millrace/contracts/concurrency-limit.ts'
import type {
  ConcurrencyLimitV2,
  GlobalConcurrencyLimitResponse,
  MinimalConcurrencyLimitResponse,
} from '@millrace/contracts/global-concurrency-limit.ts'
import { parseUuid } from '../../lib/ids.ts'
import { addSeconds, formatTime, type Micros } from '../../lib/time.ts'
import { decayingSlots, hasDecay, type LimitRow, wholeSlots } from '../../runs/slots/decay.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import { toBoolean } from '../../storage/tables.ts'

/** A limit with the slots of live leases and of expired leases that can still be renewed. */
export interface LimitUsageRow extends LimitRow {
  readonly live: number
  readonly lapsed: number
}

/** A limit with the slots of live leases and the time when the next of them expires. */
export interface LimitCapacityRow extends LimitRow {
  readonly live: number
  readonly next_expiry: Micros | null
}

const leasedSlots = (when: string): string =>
  `(select cast(coalesce(sum(lease.slots), 0) as bigint) from concurrency_lease lease where lease.limit_id = concurrency_limit.id and ${when})`
const usageSelect = `select concurrency_limit.*, ${leasedSlots('(lease.expires is null or lease.expires > $1)')} as live, ${leasedSlots('lease.expires <= $1 and lease.expires > $2')} as lapsed
  from concurrency_limit`

const byId = statement(`${usageSelect} where id = $3`)
const byName = statement(`${usageSelect} where name = $3`)
const byIds = statement((dialect) => `${usageSelect} where ${dialect.inList('id', '$3', 'uuid')}`)
const page = statement(`${usageSelect} order by name limit $3 offset $4`)
const capacities = statement(
  (dialect) => `select concurrency_limit.*, ${leasedSlots('(lease.expires is null or lease.expires > $1)')} as live,
      (select min(lease.expires) from concurrency_lease lease where lease.limit_id = concurrency_limit.id and lease.expires > $1) as next_expiry
    from concurrency_limit where ${dialect.inList('name', '$2', 'text')}`,
)
const limitById = statement('select * from concurrency_limit where id = $1')
const limitByName = statement('select * from concurrency_limit where name = $1')
const tagLimits = statement("select * from concurrency_limit where substr(name, 1, 4) = 'tag:' order by name limit $1 offset $2")
const holders = statement(
  (dialect) => `select limit_id, holder_id from concurrency_lease
    where ${dialect.inList('limit_id', '$1', 'uuid')} and holder_type = 'task_run' and (expires is null or expires > $2) order by created, id`,
)
const remove = statement('delete from concurrency_limit where id = $1')

/** Expired leases can be renewed, and are reported as held, for `graceSeconds`. */
export interface GraceWindow {
  readonly now: Micros
  readonly graceSeconds: number
}

const graceTimes = ({ now, graceSeconds }: GraceWindow): [Micros, Micros] => [now, addSeconds(now, -graceSeconds)]

/** Looks up by id if the text is a UUID, else by name. */
export function readLimitUsage(db: Db, idOrName: string, window: GraceWindow): Promise<LimitUsageRow | undefined> {
  const id = parseUuid(idOrName)
  return db.first<LimitUsageRow>(id ? byId : byName, [...graceTimes(window), id ?? idOrName])
}

export const readLimitUsages = (db: Db, ids: readonly string[], window: GraceWindow): Promise<LimitUsageRow[]> =>
  db.all<LimitUsageRow>(byIds, [...graceTimes(window), db.dialect.list(ids)])

export const listLimitUsages = (db: Db, window: GraceWindow, limit: number, offset: number): Promise<LimitUsageRow[]> =>
  db.all<LimitUsageRow>(page, [...graceTimes(window), limit, offset])

export const readCapacities = (db: Db, names: readonly string[], now: Micros): Promise<LimitCapacityRow[]> =>
  db.all<LimitCapacityRow>(capacities, [now, db.dialect.list(names)])

export const readLimit = (db: Db, id: string): Promise<LimitRow | undefined> => db.first<LimitRow>(limitById, [id])
export const readLimitByName = (db: Db, name: string): Promise<LimitRow | undefined> => db.first<LimitRow>(limitByName, [name])

/** Looks up by id if the text is a UUID, else by name. */
export const findLimit = (db: Db, idOrName: string): Promise<LimitRow | undefined> => {
  const id = parseUuid(idOrName)
  return id ? readLimit(db, id) : readLimitByName(db, idOrName)
}

export const listTagLimits = (db: Db, limit: number, offset: number): Promise<LimitRow[]> => db.all<LimitRow>(tagLimits, [limit, offset])

/** The task runs that hold slots of each limit, oldest lease first. */
export async function readTaskHolders(db: Db, limitIds: readonly string[], now: Micros): Promise<Map<string, string[]>> {
  const byLimit = new Map<string, string[]>(limitIds.map((id) => [id, []]))
  const rows = await db.all<{ limit_id: string; holder_id: string }>(holders, [db.dialect.list(limitIds), now])
  for (const { limit_id, holder_id } of rows) byLimit.get(limit_id)?.push(holder_id)
  return byLimit
}

/** Returns false if another limit has the name. */
export const insertLimit = async (tx: Tx, row: LimitRow): Promise<boolean> =>
  (await tx.insert('concurrency_limit', [row], { onConflict: 'on conflict (name) do nothing' })) > 0

export const updateLimit = (tx: Tx, row: LimitRow): Promise<number> => tx.update('concurrency_limit', [row])
export const deleteLimit = (tx: Tx, id: string): Promise<number> => tx.run(remove, [id])

/** Slots in use; fractional for a limit with decay. */
export const usedSlots = ({ live, ...limit }: LimitRow & { readonly live: number }, now: Micros): number =>
  hasDecay(limit) ? decayingSlots(limit, now) : live

/**
 * Slots in use as reported by the API. An expired lease counts while it can be renewed, unless its slots are taken: a client that
 * sees a free slot can rely on its former holder being gone.
 */
export function reportedSlots({ live, lapsed, ...limit }: LimitUsageRow, now: Micros): number {
  if (hasDecay(limit)) return wholeSlots(decayingSlots(limit, now))
  return Math.max(live, Math.min(limit.slots, live + lapsed))
}

export const toLimitResponse = (row: LimitUsageRow, now: Micros): GlobalConcurrencyLimitResponse => ({
  id: row.id,
  created: formatTime(row.created),
  updated: formatTime(row.updated),
  active: toBoolean(row.active),
  name: row.name,
  limit: row.slots,
  active_slots: reportedSlots(row, now),
  slot_decay_per_second: row.slot_decay_per_second,
})

export const toCreatedLimitResponse = (row: LimitRow, activeSlots: number): ConcurrencyLimitV2 => ({
  ...toLimitResponse({ ...row, live: activeSlots, lapsed: 0 }, row.settled),
  denied_slots: wholeSlots(row.denied_slots),
  avg_slot_occupancy_seconds: row.avg_slot_occupancy_seconds,
})

export const toMinimalLimitResponse = ({ id, name, slots }: LimitRow): MinimalConcurrencyLimitResponse => ({ id, name, limit: slots })

export const toTagLimitResponse = (row: LimitRow, taskRuns: readonly string[]): ConcurrencyLimit => ({
  id: row.id,
  created: formatTime(row.created),
  updated: formatTime(row.updated),
  tag: row.name.slice('tag:'.length),
  concurrency_limit: row.slots,
  active_slots: [...taskRuns],
})
