import type { SavedSearch, SavedSearchCreate, SavedSearchesFilterBody } from '@millrace/contracts/saved-search.ts'
import type { CallOptions } from '../http.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/** Named filters of the list of runs. */
export class SavedSearches extends OperationGroup {
  /** Saves a search, or replaces the filters of the one with this name. */
  save(body: SavedSearchCreate, options?: CallOptions): Promise<SavedSearch> {
    return this.http.call('PUT', '/saved_searches/', { body, options })
  }

  /** Reads a saved search by id. */
  read(id: string, options?: CallOptions): Promise<SavedSearch> {
    return this.http.call('GET', '/saved_searches/{id}', { path: { id }, options })
  }

  /** Lists saved searches, by name. */
  list(body: SavedSearchesFilterBody = {}, options?: CallOptions): Promise<SavedSearch[]> {
    return this.http.call('POST', '/saved_searches/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(body: Omit<SavedSearchesFilterBody, 'offset' | 'limit'> = {}, options?: PageOptions): AsyncGenerator<SavedSearch, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }

  /** Deletes a saved search. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/saved_searches/{id}', { path: { id }, options })
  }
}
