import { type Db, statement, type Tx } from '../storage/database.ts'
import type { TableName } from '../storage/tables.ts'
import { type AdoptionRow, beginAdoption, readAdoption } from './adoption-store.ts'
import type { Installation } from './source/identify.ts'
import { SourceError } from './source/source.ts'

/** A row in one of these means that the database is in use. */
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
  'event_segment',
]

const removeBlockTypes = statement('delete from block_type')

/**
 * Prepares the target database for a new or continued adoption. Deletes the block types that the server installed at its start, because those of the source
 * have the ids that other rows reference.
 */
export async function prepareTarget(tx: Tx, installation: Installation, options: { resume: boolean; now: number }): Promise<AdoptionRow> {
  const adoption = await readAdoption(tx)
  if (adoption) return checkResumable(adoption, installation, options.resume)
  const table = await findNonEmptyTable(tx)
  if (table) throw new SourceError(`Target database is not empty: table ${table} has rows. Pass an empty database with --database.`)
  await tx.run(removeBlockTypes)
  await beginAdoption(tx, installation, options.now)
  return (await readAdoption(tx)) as AdoptionRow
}

function checkResumable(adoption: AdoptionRow, { fingerprint }: Installation, resume: boolean): AdoptionRow {
  if (adoption.finished !== null)
    throw new SourceError('Target database has already adopted an installation. Pass an empty database with --database.')
  if (adoption.source !== fingerprint)
    throw new SourceError('Target database contains part of another installation. Pass that source, or an empty database with --database.')
  if (!resume)
    throw new SourceError('Target database contains an unfinished copy. Continue with --resume, or pass an empty database with --database.')
  return adoption
}

async function findNonEmptyTable(db: Db): Promise<TableName | undefined> {
  for (const table of contentTables) if (await db.first(statement(`select 1 as one from ${table} limit 1`))) return table
  return undefined
}
