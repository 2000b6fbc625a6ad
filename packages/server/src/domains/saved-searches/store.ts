import type { SavedSearch } from '@millrace/contracts/saved-search.ts'
import { rawJson } from '../../lib/json.ts'
import { formatTime } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'

export type SavedSearchRow = Row<'saved_search'>

export const toSavedSearchResponse = (row: SavedSearchRow): SavedSearch => ({
  id: row.id,
  created: formatTime(row.created),
  updated: formatTime(row.updated),
  name: row.name,
  filters: rawJson(row.filters),
})

const byId = statement('select * from saved_search where id = $1')
const byName = statement('select * from saved_search where name = $1')
const page = statement('select * from saved_search order by name limit $1 offset $2')
const remove = statement('delete from saved_search where id = $1')
const replace = 'on conflict (name) do update set filters = excluded.filters, updated = excluded.updated'

export const readSavedSearch = (db: Db, id: string): Promise<SavedSearchRow | undefined> => db.first<SavedSearchRow>(byId, [id])
export const listSavedSearches = (db: Db, limit: number, offset: number): Promise<SavedSearchRow[]> => db.all<SavedSearchRow>(page, [limit, offset])
export const deleteSavedSearch = (tx: Tx, id: string): Promise<number> => tx.run(remove, [id])

/** Saves a search, or replaces the filters of the one with this name. Returns the stored row. */
export async function saveSearch(tx: Tx, row: SavedSearchRow): Promise<SavedSearchRow> {
  await tx.insert('saved_search', [row], { onConflict: replace })
  return (await tx.first<SavedSearchRow>(byName, [row.name])) as SavedSearchRow
}
