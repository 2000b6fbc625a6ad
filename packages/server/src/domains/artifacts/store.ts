import type { Artifact, ArtifactCollection, ArtifactSort } from '@millrace/contracts/artifact.ts'
import { type RawBuilder, sql } from 'kysely'
import { rawJson } from '../../lib/json.ts'
import { formatTime } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import { lazyColumns, selectLazyColumns } from '../../storage/lazy-columns.ts'
import type { Row } from '../../storage/tables.ts'
import { type ArtifactFilters, type ArtifactTable, artifactOrder, artifactsWhere } from './filter.ts'

export type ArtifactRow = Row<'artifact'>
export type CollectionRow = Row<'artifact_collection'>

/** Also for a collection, which has its own id. */
export const toArtifactResponse = (row: ArtifactRow | CollectionRow): Artifact => ({
  id: row.id,
  created: formatTime(row.created),
  updated: formatTime(row.updated),
  key: row.key,
  type: row.type,
  description: row.description,
  data: rawJson(row.data),
  metadata_: rawJson(row.metadata_),
  flow_run_id: row.flow_run_id,
  task_run_id: row.task_run_id,
})

export const toCollectionResponse = (row: CollectionRow): ArtifactCollection => ({
  ...toArtifactResponse(row),
  key: row.key,
  latest_id: row.latest_id,
})

const byId = statement('select * from artifact where id = $1')
const byKey = statement('select * from artifact_collection where key = $1')
const byKeyLocked = statement((dialect) => `select * from artifact_collection where key = $1 ${dialect.forUpdate}`)
const latestExcept = statement('select * from artifact where key = $1 and id <> $2 order by created desc, id desc limit 1')
const remove = statement('delete from artifact where id = $1')
const removeCollection = statement('delete from artifact_collection where id = $1')

export const readArtifact = (db: Db, id: string): Promise<ArtifactRow | undefined> => db.first<ArtifactRow>(byId, [id])
export const readCollection = (db: Db, key: string): Promise<CollectionRow | undefined> => db.first<CollectionRow>(byKey, [key])
/** Locks until the commit, so that one transaction at a time decides the latest of a key. */
export const lockCollection = (tx: Tx, key: string): Promise<CollectionRow | undefined> => tx.first<CollectionRow>(byKeyLocked, [key])
export const readLatestExcept = (db: Db, key: string, id: string): Promise<ArtifactRow | undefined> => db.first<ArtifactRow>(latestExcept, [key, id])

export const insertArtifact = (tx: Tx, row: ArtifactRow): Promise<number> => tx.insert('artifact', [row])
export const updateArtifact = (tx: Tx, row: Partial<ArtifactRow>): Promise<number> => tx.update('artifact', [row])
export const deleteArtifact = (tx: Tx, id: string): Promise<number> => tx.run(remove, [id])

const replacedColumns = ['latest_id', 'updated', 'type', 'description', 'data', 'metadata_', 'flow_run_id', 'task_run_id']
const replaceLatest = `on conflict (key) do update set ${replacedColumns.map((name) => `${name} = excluded.${name}`).join(', ')}`

/** Returns the stored collection. A new one gets the given id. */
export async function upsertCollection(tx: Tx, row: CollectionRow): Promise<CollectionRow> {
  await tx.insert('artifact_collection', [row], { onConflict: replaceLatest })
  return (await readCollection(tx, row.key)) as CollectionRow
}

export const updateCollection = (tx: Tx, row: Partial<CollectionRow>): Promise<number> => tx.update('artifact_collection', [row])
export const deleteCollection = (tx: Tx, id: string): Promise<number> => tx.run(removeCollection, [id])

interface Paging {
  readonly sort: ArtifactSort
  readonly limit: number
  readonly offset: number
}

const late = {
  artifact: lazyColumns('artifact', ['data', 'description', 'metadata_']),
  artifact_collection: lazyColumns('artifact_collection', ['data', 'description', 'metadata_']),
}

async function list<R extends { id: string }>(db: Db, table: ArtifactTable, filters: ArtifactFilters, { sort, limit, offset }: Paging): Promise<R[]> {
  const matches = artifactsWhere(db.dialect, table, filters)
  const where = table === 'artifact' && isSearch(filters) ? searchCondition(matches, artifactOrder[sort]) : matches
  const query = sql<R>`select ${selectLazyColumns(late[table], db)} from ${sql.table(table)} where ${where} order by ${artifactOrder[sort]} limit ${limit} offset ${offset}`
  return late[table].fetch(db, (await query.execute(db.kysely)).rows)
}

/**
 * No index finds a type or a part of a key. A search for them reads the first artifacts in the requested order, up to this number: so its cost does not
 * grow with the table. The latest artifact of each key is in a table of its own, which is searched completely.
 */
export const searchedArtifactsMax = 20_000

function isSearch({ artifacts, flow_runs, task_runs, flows, deployments }: ArtifactFilters): boolean {
  if (!artifacts || artifacts.operator === 'or_' || flow_runs || task_runs || flows || deployments) return false
  const { key, type, flow_run_id, task_run_id } = artifacts
  const isIndexed = key?.any_ ?? flow_run_id?.any_ ?? task_run_id?.any_ ?? ('id' in artifacts ? artifacts.id?.any_ : null)
  return isIndexed == null && (type != null || key?.like_ != null)
}

const searchCondition = (matches: RawBuilder<boolean>, order: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`artifact.id in (select artifact.id from
    (select id, key, type, flow_run_id, task_run_id from artifact order by ${order} limit ${sql.lit(searchedArtifactsMax)}) artifact where ${matches})`

async function count(db: Db, table: ArtifactTable, filters: ArtifactFilters): Promise<number> {
  const query = sql<{ count: number }>`select count(*) as count from ${sql.table(table)} where ${artifactsWhere(db.dialect, table, filters)}`
  return (await query.execute(db.kysely)).rows[0]?.count ?? 0
}

export const listArtifacts = (db: Db, filters: ArtifactFilters, paging: Paging) => list<ArtifactRow>(db, 'artifact', filters, paging)
export const listCollections = (db: Db, filters: ArtifactFilters, paging: Paging) => list<CollectionRow>(db, 'artifact_collection', filters, paging)
export const countArtifacts = (db: Db, filters: ArtifactFilters) => count(db, 'artifact', filters)
export const countCollections = (db: Db, filters: ArtifactFilters) => count(db, 'artifact_collection', filters)
