import type { BlockDocumentSort } from '@millrace/contracts/block-document.ts'
import { sql } from 'kysely'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'
import { type BlockFilters, blockDocumentsWhere, documentOrder } from './filter.ts'

export type BlockDocumentRow = Row<'block_document'>
export type BlockDocumentReferenceRow = Row<'block_document_reference'>

const byId = statement('select * from block_document where id = $1')
const byIds = statement((dialect) => `select * from block_document where ${dialect.inList('id', '$1', 'uuid')}`)
const dataBytes = statement(
  (dialect) => `select coalesce(sum(octet_length(data)), 0) as bytes from block_document where ${dialect.inList('id', '$1', 'uuid')}`,
)
const lockByIds = statement((dialect) => `select * from block_document where ${dialect.inList('id', '$1', 'uuid')} order by id ${dialect.forUpdate}`)
const byTypeAndName = statement(
  'select block_document.* from block_document join block_type on block_type.id = block_document.block_type_id where block_type.slug = $1 and block_document.name = $2',
)
const named = statement('select id from block_document where block_type_id = $1 and name = $2')
const remove = statement('delete from block_document where id = $1')
const removeReferences = statement((dialect) => `delete from block_document_reference where ${dialect.inList('id', '$1', 'uuid')}`)
const referencesOf = statement('select * from block_document_reference where parent_block_document_id = $1 order by id')
const encryptedWithOtherKeys = statement((dialect) => `select * from block_document where key_id <> $1 order by id limit $2 ${dialect.forUpdate}`)

const keyInUse = statement('select key_id from block_document limit 1')

// `union` leaves out what was met before, so that the walk ends whatever the documents say.
const referencesBelow = statement(
  (dialect) => `with recursive found(id, parent_block_document_id, reference_block_document_id, name) as (
    select id, parent_block_document_id, reference_block_document_id, name from block_document_reference
    where ${dialect.inList('parent_block_document_id', '$1', 'uuid')}
    union
    select below.id, below.parent_block_document_id, below.reference_block_document_id, below.name
    from block_document_reference below join found on below.parent_block_document_id = found.reference_block_document_id
  ) select * from (select * from found limit $2) found order by id`,
)

export const readDocument = (db: Db, id: string): Promise<BlockDocumentRow | undefined> => db.first<BlockDocumentRow>(byId, [id])

export const readDocuments = async (db: Db, ids: readonly string[]): Promise<BlockDocumentRow[]> =>
  ids.length === 0 ? [] : db.all<BlockDocumentRow>(byIds, [db.dialect.list(ids)])

/** Locks until the commit, so that two concurrent changes cannot create a cycle. */
export const lockDocuments = (tx: Tx, ids: readonly string[]): Promise<BlockDocumentRow[]> =>
  tx.all<BlockDocumentRow>(lockByIds, [tx.dialect.list(ids)])

export const readDocumentByName = (db: Db, slug: string, name: string): Promise<BlockDocumentRow | undefined> =>
  db.first<BlockDocumentRow>(byTypeAndName, [slug, name])

export const isNameTaken = async (db: Db, typeId: string, name: string): Promise<boolean> => (await db.first(named, [typeId, name])) !== undefined

export const readReferences = (db: Db, parentId: string): Promise<BlockDocumentReferenceRow[]> =>
  db.all<BlockDocumentReferenceRow>(referencesOf, [parentId])

/** All direct and indirect references of the documents, oldest first. Above the limit, some of them. */
export const readDocumentReferencesBelow = (db: Db, ids: readonly string[], limit: number): Promise<BlockDocumentReferenceRow[]> =>
  db.all<BlockDocumentReferenceRow>(referencesBelow, [db.dialect.list(ids), limit])

/** The encrypted size of documents. */
export const readDataBytes = async (db: Db, ids: readonly string[]): Promise<number> =>
  ids.length === 0 ? 0 : Number((await db.first<{ bytes: number }>(dataBytes, [db.dialect.list(ids)]))?.bytes)

/** Returns false if another document of the type has the name. */
export const insertDocument = async (tx: Tx, row: BlockDocumentRow): Promise<boolean> =>
  (await tx.insert('block_document', [row], { onConflict: 'on conflict (block_type_id, name) do nothing' })) > 0

export const updateDocuments = (tx: Tx, rows: readonly BlockDocumentRow[]): Promise<number> => tx.update('block_document', rows)
export const deleteDocument = (tx: Tx, id: string): Promise<number> => tx.run(remove, [id])
export const insertReferences = (tx: Tx, rows: readonly BlockDocumentReferenceRow[]): Promise<number> => tx.insert('block_document_reference', rows)
export const deleteReferences = async (tx: Tx, ids: readonly string[]): Promise<number> =>
  ids.length === 0 ? 0 : tx.run(removeReferences, [tx.dialect.list(ids)])

/** Documents encrypted with another key. */
export const lockDocumentsOfOtherKeys = (tx: Tx, keyId: string, limit: number): Promise<BlockDocumentRow[]> =>
  tx.all<BlockDocumentRow>(encryptedWithOtherKeys, [keyId, limit])

/** The id of any key in use. */
export const readKeyInUse = async (db: Db): Promise<string | undefined> => (await db.first<{ key_id: string }>(keyInUse))?.key_id

interface ListOptions {
  readonly sort: BlockDocumentSort
  /** Undefined lists all. */
  readonly limit?: number
  readonly offset?: number
}

export async function listDocuments(db: Db, filters: BlockFilters, { sort, limit, offset = 0 }: ListOptions): Promise<BlockDocumentRow[]> {
  const page = limit === undefined ? sql`` : sql`limit ${limit} offset ${offset}`
  const { rows } =
    await sql<BlockDocumentRow>`select block_document.* from block_document where ${blockDocumentsWhere(db.dialect, filters)} order by ${documentOrder[sort]} ${page}`.execute(
      db.kysely,
    )
  return rows
}

export async function countDocuments(db: Db, filters: BlockFilters): Promise<number> {
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from block_document where ${blockDocumentsWhere(db.dialect, filters)}`.execute(db.kysely)
  return rows[0]?.count ?? 0
}

type DocumentColumn = 'id' | 'block_type_id' | 'block_schema_id'

const detach = (field: 'storage_document_id' | 'infrastructure_document_id', of: DocumentColumn) =>
  statement(`update deployment set ${field} = null where ${field} in (select id from block_document where ${of} = $1)`)

const detachStatements = {
  id: [detach('storage_document_id', 'id'), detach('infrastructure_document_id', 'id')],
  block_type_id: [detach('storage_document_id', 'block_type_id'), detach('infrastructure_document_id', 'block_type_id')],
  block_schema_id: [detach('storage_document_id', 'block_schema_id'), detach('infrastructure_document_id', 'block_schema_id')],
} as const

/** Clears references of deployments to documents that are about to be deleted. The reference deletes the deployments. */
export async function detachFromDeployments(tx: Tx, of: DocumentColumn, value: string): Promise<void> {
  for (const query of detachStatements[of]) await tx.run(query, [value])
}
