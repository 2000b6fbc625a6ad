import type { SavedSearchCreate } from '@millrace/contracts/saved-search.ts'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

export const savedSearchesQuery = () =>
  queryOptions({ queryKey: ['saved-searches'], queryFn: ({ signal }) => client.savedSearches.list({}, { signal }) })

export const saveSearch = (search: SavedSearchCreate) => client.savedSearches.save(search)

export const deleteSavedSearch = (id: string) => client.savedSearches.delete(id)
