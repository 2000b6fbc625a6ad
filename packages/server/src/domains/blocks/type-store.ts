import type { BlockType } from '@millrace/contracts/block-type.ts'
import { sql } from 'kysely'
import { formatTime } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import { type Row, toBoolean } from '../../storage/tables.ts'
import { type BlockFilters, blockTypesWhere } from './filter.ts'

export type BlockTypeRow = Row<'block_type'>

export const toBlockTypeResponse = (row: BlockTypeRow): BlockType => ({
  id: row.id,
  created: formatTime(row.created),
  updated: formatTime(row.updated),
  name: row.name,
  slug: row.slug,
  logo_url: row.logo_url,
  documentation_url: row.documentation_url,
  description: row.description,
  code_example: row.code_example,
  is_protected: toBoolean(row.is_protected),
})

const byId = statement('select * from block_type where id = $1')
const lockById = statement((dialect) => `select * from block_type where id = $1 ${dialect.forUpdate}`)
const lockByIdOrSlugs = statement(
  (dialect) => `select * from block_type where id = $1 or ${dialect.inList('slug', '$2', 'text')} order by id ${dialect.forUpdate}`,
)
const bySlug = statement('select * from block_type where slug = $1')
const byIds = statement((dialect) => `select * from block_type where ${dialect.inList('id', '$1', 'uuid')}`)
const bySlugs = statement((dialect) => `select * from block_type where ${dialect.inList('slug', '$1', 'text')}`)
const remove = statement('delete from block_type where id = $1')

export const readBlockType = (db: Db, id: string): Promise<BlockTypeRow | undefined> => db.first<BlockTypeRow>(byId, [id])
export const lockBlockType = (tx: Tx, id: string): Promise<BlockTypeRow | undefined> => tx.first<BlockTypeRow>(lockById, [id])
export const lockBlockTypes = (tx: Tx, id: string, slugs: readonly string[]): Promise<BlockTypeRow[]> =>
  tx.all<BlockTypeRow>(lockByIdOrSlugs, [id, tx.dialect.list(slugs)])
export const readBlockTypeBySlug = (db: Db, slug: string): Promise<BlockTypeRow | undefined> => db.first<BlockTypeRow>(bySlug, [slug])
export const readBlockTypesBySlug = (db: Db, slugs: readonly string[]): Promise<BlockTypeRow[]> =>
  db.all<BlockTypeRow>(bySlugs, [db.dialect.list(slugs)])

export async function readBlockTypesById(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, BlockTypeRow>> {
  const rows = await db.all<BlockTypeRow>(byIds, [db.dialect.list([...new Set(ids)])])
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns how many were inserted; existing slugs are skipped. */
export const insertBlockTypes = (tx: Tx, rows: readonly BlockTypeRow[]): Promise<number> =>
  tx.insert('block_type', rows, { onConflict: 'on conflict (slug) do nothing' })

export const updateBlockType = (tx: Tx, row: BlockTypeRow): Promise<number> => tx.update('block_type', [row])
export const deleteBlockType = (tx: Tx, id: string): Promise<number> => tx.run(remove, [id])

export function listBlockTypes(db: Db, filters: BlockFilters, { limit, offset }: { limit: number; offset: number }): Promise<BlockTypeRow[]> {
  return sql<BlockTypeRow>`select block_type.* from block_type where ${blockTypesWhere(db.dialect, filters)} order by block_type.name, block_type.id limit ${limit} offset ${offset}`
    .execute(db.kysely)
    .then(({ rows }) => rows)
}
