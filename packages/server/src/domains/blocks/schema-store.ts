import { sql } from 'kysely'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'
import { type BlockFilters, blockSchemasWhere } from './filter.ts'

export type BlockSchemaRow = Row<'block_schema'>
export type BlockSchemaReferenceRow = Row<'block_schema_reference'>

const byId = statement('select * from block_schema where id = $1')
const byIds = statement((dialect) => `select * from block_schema where ${dialect.inList('id', '$1', 'uuid')}`)
const byChecksum = statement('select * from block_schema where checksum = $1 order by created desc, id desc limit 1')
const byChecksumAndVersion = statement('select * from block_schema where checksum = $1 and version = $2')
const byChecksums = statement((dialect) => `select * from block_schema where ${dialect.inList('checksum', '$1', 'text')}`)
const remove = statement('delete from block_schema where id = $1')
const distinctCapabilities = statement('select distinct capabilities from block_schema')

// `union` leaves out what was met before, so that the walk ends even where schemas lead back to themselves.
const referencesBelow = statement(
  (dialect) => `with recursive found(id, parent_block_schema_id, reference_block_schema_id, name) as (
    select id, parent_block_schema_id, reference_block_schema_id, name from block_schema_reference
    where ${dialect.inList('parent_block_schema_id', '$1', 'uuid')}
    union
    select below.id, below.parent_block_schema_id, below.reference_block_schema_id, below.name
    from block_schema_reference below join found on below.parent_block_schema_id = found.reference_block_schema_id
  ) select * from found order by id`,
)

export const readBlockSchema = (db: Db, id: string): Promise<BlockSchemaRow | undefined> => db.first<BlockSchemaRow>(byId, [id])

export const readBlockSchemas = async (db: Db, ids: readonly string[]): Promise<BlockSchemaRow[]> =>
  ids.length === 0 ? [] : db.all<BlockSchemaRow>(byIds, [db.dialect.list(ids)])

/** Reads the given version, or the latest. */
export const readBlockSchemaByChecksum = (db: Db, checksum: string, version: string | null): Promise<BlockSchemaRow | undefined> =>
  version === null ? db.first<BlockSchemaRow>(byChecksum, [checksum]) : db.first<BlockSchemaRow>(byChecksumAndVersion, [checksum, version])

export const readBlockSchemasByChecksum = (db: Db, checksums: readonly string[]): Promise<BlockSchemaRow[]> =>
  db.all<BlockSchemaRow>(byChecksums, [db.dialect.list(checksums)])

/** All direct and indirect references of the schemas, oldest first. */
export const readNestedSchemaReferences = (db: Db, ids: readonly string[]): Promise<BlockSchemaReferenceRow[]> =>
  db.all<BlockSchemaReferenceRow>(referencesBelow, [db.dialect.list(ids)])

/** Returns how many were inserted; checksum and version are unique together. */
export const insertBlockSchemas = (tx: Tx, rows: readonly BlockSchemaRow[]): Promise<number> =>
  tx.insert('block_schema', rows, { onConflict: 'on conflict (checksum, version) do nothing' })

export const insertBlockSchemaReferences = (tx: Tx, rows: readonly BlockSchemaReferenceRow[]): Promise<number> =>
  tx.insert('block_schema_reference', rows, { onConflict: 'on conflict do nothing' })

export const deleteBlockSchema = (tx: Tx, id: string): Promise<number> => tx.run(remove, [id])

/** Latest first. */
export function listBlockSchemas(db: Db, filters: BlockFilters, { limit, offset }: { limit: number; offset: number }): Promise<BlockSchemaRow[]> {
  return sql<BlockSchemaRow>`select block_schema.* from block_schema where ${blockSchemasWhere(db.dialect, filters)} order by block_schema.created desc, block_schema.id desc limit ${limit} offset ${offset}`
    .execute(db.kysely)
    .then(({ rows }) => rows)
}

export async function listCapabilities(db: Db): Promise<string[]> {
  const rows = await db.all<{ capabilities: string }>(distinctCapabilities)
  return [...new Set(rows.flatMap(({ capabilities }) => JSON.parse(capabilities) as string[]))].sort()
}
