import type { Micros } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { Dialect, Write } from '../../storage/dialect.ts'
import { columnList, type Row } from '../../storage/tables.ts'
import type { LimitRow } from './decay.ts'

export type LeaseRow = Row<'concurrency_lease'>

/** A lease without an expiry is live until it is released or its limit is deleted. */
export const isLive = ({ expires }: Pick<LeaseRow, 'expires'>, now: Micros): boolean => expires === null || expires > now

/** Slots that were acquired without a lease: any caller may release them. */
export const isAnonymous = ({ holder_id, expires }: Pick<LeaseRow, 'holder_id' | 'expires'>): boolean => holder_id === null && expires === null

const limitsByName = (dialect: Dialect, lock: string): string =>
  `select ${columnList('concurrency_limit')} from concurrency_limit where ${dialect.inList('name', '$1', 'text')} order by id ${lock}`
const lockedLimits = statement((dialect) => limitsByName(dialect, dialect.forUpdate))
const lockedExceptHeld = statement((dialect) => limitsByName(dialect, `${dialect.forChange} ${dialect.exceptHeld}`))
const liveLeasesByName = statement(
  (
    dialect,
  ) => `select ${columnList('concurrency_lease')} from concurrency_limit join concurrency_lease on concurrency_lease.limit_id = concurrency_limit.id
    where ${dialect.inList('concurrency_limit.name', '$1', 'text')} and (expires is null or expires > $2)`,
)
const limitNames = statement((dialect) => `select name from concurrency_limit where ${dialect.inList('name', '$1', 'text')}`)
const removeRows = statement((dialect) => `delete from concurrency_lease where ${dialect.inList('id', '$1', 'uuid')}`)
// Compares pairs: a lease of one holder must not match because another request of the batch names that holder.
const removeOfHolders = statement(
  (dialect) => `delete from concurrency_lease
    where ${dialect.inList('lease_id', '$1', 'uuid')} and ${dialect.inList("cast(lease_id as text) || ' ' || holder_id", '$2', 'text')}`,
)

/** Locks limits until the commit, so that two replicas cannot both acquire the last slot. The order by id prevents deadlocks. */
export const lockLimitsByName = (tx: Tx, names: readonly string[]): Promise<LimitRow[]> => tx.all<LimitRow>(lockedLimits, [tx.dialect.list(names)])

/** Locks limits without those that somebody else holds. */
export const lockLimitsExceptHeld = (tx: Tx, names: readonly string[]): Promise<LimitRow[]> =>
  tx.all<LimitRow>(lockedExceptHeld, [tx.dialect.list(names)])

export const readLimitNames = async (db: Db, names: readonly string[]): Promise<string[]> =>
  (await db.all<{ name: string }>(limitNames, [db.dialect.list(names)])).map(({ name }) => name)

/** Sent after the statement that locks the limits, it sees what others wrote before. */
export const readLiveLeases = (db: Db, names: readonly string[], now: Micros): Promise<LeaseRow[]> =>
  db.all<LeaseRow>(liveLeasesByName, [db.dialect.list(names), now])

export const deletionOfLeaseRows = (dialect: Dialect, ids: readonly string[]): Write => ({
  run: removeRows.text(dialect),
  values: [dialect.list(ids)],
})

/** Deletes each lease if it belongs to the holder given for it. */
export function deletionOfLeases(dialect: Dialect, leases: readonly { readonly leaseId: string; readonly holder: string }[]): Write {
  const ids = leases.map(({ leaseId }) => leaseId)
  const pairs = leases.map(({ leaseId, holder }) => `${leaseId.toLowerCase()} ${holder}`)
  return { run: removeOfHolders.text(dialect), values: [dialect.list(ids), dialect.list(pairs)] }
}
