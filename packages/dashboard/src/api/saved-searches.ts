import type { SavedSearch, SavedSearchCreate } from '@millrace/contracts/saved-search.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

export const savedSearchesQuery = () =>
  queryOptions({ queryKey: ['saved-searches'], queryFn: ({ signal }) => call<SavedSearch[]>('POST', '/saved_searches/filter', { body: {}, signal }) })

export const saveSearch = (search: SavedSearchCreate) => call<SavedSearch>('PUT', '/saved_searches/', { body: search })

export const deleteSavedSearch = (id: string) => call<null>('DELETE', `/saved_searches/${id}`)
