import { type Db, statement, type Tx } from '../storage/database.ts'
import type { TableName } from '../storage/tables.ts'
import { type AdoptionRow, beginAdoption, readAdoption } from './adoption-store.ts'
import type { Installation } from './source/identify.ts'
import { SourceError } from './source/source.ts'

/** Whoever has one of these has begun to work with the database. */
const contentTables: readonly TableName[] = [
  'flow',
  'work_pool',
  'concurrency_limit',
  'variable',
  'block_document',
  'saved_search',
  'automation',
  'artifact',
  'log',
  'event',
]

const removeBlockTypes = statement('delete from block_type')

/**
 * Makes the database ready to take over an installation, or to go on with it. Block types that a server has put in place by itself make room
 * for those of the source, which have the ids that everything else refers to.
 */
export async function prepareTarget(tx: Tx, installation: Installation, options: { resume: boolean; now: number }): Promise<AdoptionRow> {
  const known = await readAdoption(tx)
  if (known) return checkResumable(known, installation, options.resume)
  const taken = await findNonEmptyTable(tx)
  if (taken) throw new SourceError(`The database to copy into is not empty: it has rows in the table ${taken}. Name an empty one with --database`)
  await tx.run(removeBlockTypes)
  await beginAdoption(tx, installation, options.now)
  return (await readAdoption(tx)) as AdoptionRow
}

function checkResumable(known: AdoptionRow, { fingerprint }: Installation, resume: boolean): AdoptionRow {
  if (known.finished !== null) throw new SourceError('The database to copy into has taken over an installation already')
  if (known.source !== fingerprint)
    throw new SourceError('The database to copy into holds part of another installation: name that one, or an empty database')
  if (!resume)
    throw new SourceError('A copy into this database was begun and did not come to its end: go on with --resume, or name an empty database')
  return known
}

async function findNonEmptyTable(db: Db): Promise<TableName | undefined> {
  for (const table of contentTables) if (await db.first(statement(`select 1 as one from ${table} limit 1`))) return table
  return undefined
}
