import type { Micros } from '../../lib/time.ts'
import type { LimitRow } from '../../runs/slots/decay.ts'
import { type LeaseRow, lockLimitsByName } from '../../runs/slots/lease-store.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import { columnList } from '../../storage/tables.ts'

const limitsOfLeases = statement(
  (dialect) => `select distinct limit_id as id from concurrency_lease
    where limit_id is not null and (${dialect.inList('lease_id', '$1', 'uuid')} or ${dialect.inList('holder_id', '$2', 'text')})`,
)
const leases = statement(
  (dialect) =>
    `select ${columnList('concurrency_lease')} from concurrency_lease where ${dialect.inList('lease_id', '$1', 'uuid')} or ${dialect.inList('holder_id', '$2', 'text')} order by created, id`,
)
const lockedLimits = statement(
  (dialect) =>
    `select ${columnList('concurrency_limit')} from concurrency_limit where ${dialect.inList('name', '$1', 'text')} or ${dialect.inList('id', '$2', 'uuid')} order by id ${dialect.forUpdate}`,
)
const usedSlots = statement(
  (dialect) => `select limit_id, cast(sum(slots) as bigint) as used from concurrency_lease
    where ${dialect.inList('limit_id', '$1', 'uuid')} and (expires is null or expires > $2) group by limit_id`,
)
// Every row holds at least one slot, so the number of slots bounds the number of rows.
const releaseOrder = statement(
  (dialect) => `select * from (
    select lease.*, row_number() over (partition by limit_id order by case when holder_id is null and expires is null then 0 else 1 end, created, id) as release_rank
    from concurrency_lease lease
    where ${dialect.inList('limit_id', '$1', 'uuid')} and slots > 0 and (expires is null or expires > $2)
  ) ranked where release_rank <= $3 order by release_rank`,
)
const removeRows = statement((dialect) => `delete from concurrency_lease where ${dialect.inList('id', '$1', 'uuid')}`)
const removeWithoutExpiry = statement(
  (dialect) => `delete from concurrency_lease where ${dialect.inList('limit_id', '$1', 'uuid')} and expires is null`,
)
const removeOfLimits = statement((dialect) => `delete from concurrency_lease where ${dialect.inList('limit_id', '$1', 'uuid')}`)
// Renewals write correct times. Only leases of dead holders keep the wrong ones.
const rebase = statement(
  'update concurrency_lease set expires = expires - (created - cast($1 as bigint)), created = $1 where created > cast($2 as bigint) and expires is not null',
)
const anyExpired = statement('select 1 as found from concurrency_lease where expires <= $1 limit 1')

/** Selects leases by id and all leases of the given holders. */
export interface LeaseSelection {
  readonly leases: readonly string[]
  readonly holders: readonly string[]
}

const selectionParams = (db: Db, { leases, holders }: LeaseSelection) => [db.dialect.list(leases), db.dialect.list(holders)]

export const readLimitsOfLeases = async (db: Db, selection: LeaseSelection): Promise<string[]> =>
  (await db.all<{ id: string }>(limitsOfLeases, selectionParams(db, selection))).map(({ id }) => id)

export const readLeases = (db: Db, selection: LeaseSelection): Promise<LeaseRow[]> => db.all<LeaseRow>(leases, selectionParams(db, selection))

/** Locks limits until the commit, so that two replicas cannot both acquire the last slot. The order by id prevents deadlocks. */
export function lockLimits(tx: Tx, names: readonly string[], ids: readonly string[]): Promise<LimitRow[]> {
  if (ids.length > 0) return tx.all<LimitRow>(lockedLimits, [tx.dialect.list(names), tx.dialect.list(ids)])
  return names.length === 0 ? Promise.resolve([]) : lockLimitsByName(tx, names)
}

/** The slots of live leases by limit id. */
export async function readUsedSlots(db: Db, limitIds: readonly string[], now: Micros): Promise<Map<string, number>> {
  const rows = await db.all<{ limit_id: string; used: number }>(usedSlots, [db.dialect.list(limitIds), now])
  return new Map(rows.map(({ limit_id, used }) => [limit_id, used]))
}

/** Live leases of the limits in the order in which an anonymous release uses them up: anonymous ones first, then the oldest. */
export const readInReleaseOrder = (db: Db, limitIds: readonly string[], now: Micros, slots: number): Promise<LeaseRow[]> =>
  db.all<LeaseRow>(releaseOrder, [db.dialect.list(limitIds), now, slots])

export const deleteLeaseRows = (tx: Tx, ids: readonly string[]): Promise<number> => tx.run(removeRows, [tx.dialect.list(ids)])

export const deleteLeasesOfLimits = (tx: Tx, limitIds: readonly string[]): Promise<number> => tx.run(removeOfLimits, [tx.dialect.list(limitIds)])

/** Deletes the leases that would never end once their limit is deleted. */
export const deleteLeasesWithoutExpiry = (tx: Tx, limitIds: readonly string[]): Promise<number> =>
  tx.run(removeWithoutExpiry, [tx.dialect.list(limitIds)])

/** Corrects leases that a clock ahead of `now` wrote: they start now and keep their duration. Leases up to `tolerated` stay unchanged. */
export const rebaseLeases = (tx: Tx, now: Micros, tolerated: Micros): Promise<number> => tx.run(rebase, [now, tolerated])

export const hasExpiredLeases = async (db: Db, before: Micros): Promise<boolean> => (await db.first(anyExpired, [before])) !== undefined
