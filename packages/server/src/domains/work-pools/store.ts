import type { WorkPoolFilter } from '@millrace/contracts/work-pool-filter.ts'
import { sql } from 'kysely'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import { columnList, type Row } from '../../storage/tables.ts'
import { workPoolWhere } from './filter.ts'

export type PoolRow = Row<'work_pool'>

/** The pool of the queues without a pool. It is created with the first such queue. */
export const agentPoolName = 'default-agent-pool'

/** Only the server creates pools with these names; existing clients rely on that. */
export const isReservedPoolName = (name: string): boolean => name.toLowerCase().startsWith('prefect')

const byName = statement(`select ${columnList('work_pool')} from work_pool where name = $1`)
const byNameLocked = statement((dialect) => `select ${columnList('work_pool')} from work_pool where name = $1 ${dialect.forUpdate}`)
const byIdLocked = statement((dialect) => `select ${columnList('work_pool')} from work_pool where id = $1 ${dialect.forUpdate}`)
const nameById = statement('select name from work_pool where id = $1')
const remove = statement('delete from work_pool where id = $1')

export const readPoolByName = (db: Db, name: string): Promise<PoolRow | undefined> => db.first<PoolRow>(byName, [name])
export const readPoolName = async (db: Db, id: string): Promise<string | undefined> => (await db.first<{ name: string }>(nameById, [id]))?.name

/** The lock serializes changes of a pool and of the priorities of its queues. */
export const lockPool = (tx: Tx, id: string): Promise<PoolRow | undefined> => tx.first<PoolRow>(byIdLocked, [id])
export const lockPoolByName = (tx: Tx, name: string): Promise<PoolRow | undefined> => tx.first<PoolRow>(byNameLocked, [name])

/** Returns false if another pool has the name. */
export const insertPool = async (tx: Tx, row: PoolRow): Promise<boolean> =>
  (await tx.insert('work_pool', [row], { onConflict: 'on conflict (name) do nothing' })) > 0

export const updatePoolRow = (tx: Tx, row: Partial<PoolRow>): Promise<number> => tx.update('work_pool', [row])
export const deletePoolRow = (tx: Tx, id: string): Promise<number> => tx.run(remove, [id])

export async function listPools(db: Db, filter: WorkPoolFilter | null, options: { limit: number; offset: number }): Promise<PoolRow[]> {
  const where = filter ? workPoolWhere(db.dialect, filter) : sql`1 = 1`
  const query = sql<PoolRow>`select work_pool.* from work_pool where ${where} order by work_pool.name limit ${options.limit} offset ${options.offset}`
  return (await query.execute(db.kysely)).rows
}

export async function countPools(db: Db, filter: WorkPoolFilter | null): Promise<number> {
  const where = filter ? workPoolWhere(db.dialect, filter) : sql`1 = 1`
  const { rows } = await sql<{ count: number }>`select count(*) as count from work_pool where ${where}`.execute(db.kysely)
  return rows[0]?.count ?? 0
}
