import type { Micros } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'
import type { LimitRow } from './decay.ts'

export type LeaseRow = Row<'concurrency_lease'>

/** A lease that has not run out. One without an end is given back, or its limit goes. */
export const isLive = ({ expires }: Pick<LeaseRow, 'expires'>, now: Micros): boolean => expires === null || expires > now

/** Slots that were taken without a lease: whoever gives some back need not be who took them. */
export const isAnonymous = ({ holder_id, expires }: Pick<LeaseRow, 'holder_id' | 'expires'>): boolean => holder_id === null && expires === null

const limitsOfLeases = statement(
  (dialect) => `select distinct limit_id as id from concurrency_lease
    where limit_id is not null and (${dialect.inList('lease_id', '$1', 'uuid')} or ${dialect.inList('holder_id', '$2', 'text')})`,
)
const leases = statement(
  (dialect) =>
    `select * from concurrency_lease where ${dialect.inList('lease_id', '$1', 'uuid')} or ${dialect.inList('holder_id', '$2', 'text')} order by created, id`,
)
const lockedLimits = statement(
  (dialect) =>
    `select * from concurrency_limit where ${dialect.inList('name', '$1', 'text')} or ${dialect.inList('id', '$2', 'uuid')} order by id ${dialect.forUpdate}`,
)
const usedSlots = statement(
  (dialect) => `select limit_id, cast(sum(slots) as bigint) as used from concurrency_lease
    where ${dialect.inList('limit_id', '$1', 'uuid')} and (expires is null or expires > $2) group by limit_id`,
)
// Every row is at least one slot, so that as many rows as slots are wanted will do.
const releaseOrder = statement(
  (dialect) => `select * from (
    select lease.*, row_number() over (partition by limit_id order by case when holder_id is null and expires is null then 0 else 1 end, created, id) as place
    from concurrency_lease lease
    where ${dialect.inList('limit_id', '$1', 'uuid')} and slots > 0 and (expires is null or expires > $2)
  ) ranked where place <= $3 order by place`,
)
const removeRows = statement((dialect) => `delete from concurrency_lease where ${dialect.inList('id', '$1', 'uuid')}`)

const removeWithoutExpiry = statement(
  (dialect) => `delete from concurrency_lease where ${dialect.inList('limit_id', '$1', 'uuid')} and expires is null`,
)
const removeOf = statement((dialect) => `delete from concurrency_lease where ${dialect.inList('limit_id', '$1', 'uuid')}`)
const expired = statement('select id, limit_id from concurrency_lease where expires <= $1 order by expires limit $2')
const removeExpired = statement(
  (dialect) => `delete from concurrency_lease where ${dialect.inList('id', '$1', 'uuid')} and expires <= $2 returning *`,
)
// A renewal writes a right time; only leases of holders that are gone keep the wrong one.
const rebase = statement(
  'update concurrency_lease set expires = expires - (created - cast($1 as bigint)), created = $1 where created > cast($2 as bigint) and expires is not null',
)
const anyExpired = statement('select 1 as found from concurrency_lease where expires <= $1 limit 1')

/** Whose leases are meant: those of these ids, and all of these holders. */
export interface LeaseSelection {
  readonly leases: readonly string[]
  readonly holders: readonly string[]
}

const selectionParams = (db: Db, { leases, holders }: LeaseSelection) => [db.dialect.list(leases), db.dialect.list(holders)]

export const readLimitsOfLeases = async (db: Db, selection: LeaseSelection): Promise<string[]> =>
  (await db.all<{ id: string }>(limitsOfLeases, selectionParams(db, selection))).map(({ id }) => id)

export const readLeases = (db: Db, selection: LeaseSelection): Promise<LeaseRow[]> => db.all<LeaseRow>(leases, selectionParams(db, selection))

/** The limits by name and by id, locked to the commit in the order of their ids: two replicas cannot both take the last slot, nor wait for each other. */
export const lockLimits = (tx: Tx, names: readonly string[], ids: readonly string[]): Promise<LimitRow[]> =>
  tx.all<LimitRow>(lockedLimits, [tx.dialect.list(names), tx.dialect.list(ids)])

/** How many slots of each limit live leases hold. */
export async function readUsedSlots(db: Db, limitIds: readonly string[], now: Micros): Promise<Map<string, number>> {
  const rows = await db.all<{ limit_id: string; used: number }>(usedSlots, [db.dialect.list(limitIds), now])
  return new Map(rows.map(({ limit_id, used }) => [limit_id, used]))
}

/** Live leases of the limits in the order in which slots are given back when nobody says whose: those without an owner, then the oldest. */
export const readInReleaseOrder = (db: Db, limitIds: readonly string[], now: Micros, slots: number): Promise<LeaseRow[]> =>
  db.all<LeaseRow>(releaseOrder, [db.dialect.list(limitIds), now, slots])

export const deleteLeaseRows = (tx: Tx, ids: readonly string[]): Promise<number> => tx.run(removeRows, [tx.dialect.list(ids)])

/** All leases of the limits; or those alone that would have nobody to end them once their limit is gone. */
export const deleteLeasesOf = (tx: Tx, limitIds: readonly string[]): Promise<number> => tx.run(removeOf, [tx.dialect.list(limitIds)])
export const deleteLeasesWithoutExpiry = (tx: Tx, limitIds: readonly string[]): Promise<number> =>
  tx.run(removeWithoutExpiry, [tx.dialect.list(limitIds)])

export const readExpiredLeases = (db: Db, before: Micros, limit: number): Promise<Pick<LeaseRow, 'id' | 'limit_id'>[]> =>
  db.all(expired, [before, limit])

/** Deletes those of the rows that still are expired; they are what was deleted. */
export const deleteExpiredLeases = (tx: Tx, ids: readonly string[], before: Micros): Promise<LeaseRow[]> =>
  tx.all<LeaseRow>(removeExpired, [tx.dialect.list(ids), before])

/** Moves leases that a clock ahead of `now` wrote back to now, with the time that they had left. Those up to `tolerated` stay as they are. */
export const rebaseLeases = (tx: Tx, now: Micros, tolerated: Micros): Promise<number> => tx.run(rebase, [now, tolerated])

export const hasExpiredLeases = async (db: Db, before: Micros): Promise<boolean> => (await db.first(anyExpired, [before])) !== undefined
