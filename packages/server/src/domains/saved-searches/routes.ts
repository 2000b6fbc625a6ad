import { SavedSearch, SavedSearchCreate, SavedSearchesFilterBody } from '@millrace/contracts/saved-search.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { type Route, RouteResponse, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { IdParams, pageLimit } from '../request-params.ts'
import { deleteSavedSearch, listSavedSearches, readSavedSearch, saveSearch, toSavedSearchResponse } from './store.ts'

const tag = 'SavedSearches'

export function savedSearchRoutes({ writeQueue, reads, clock, newId, config }: ServerContext): Route[] {
  return [
    route(
      {
        method: 'PUT',
        path: '/saved_searches/',
        tag,
        summary: 'Save a search, or replace the filters of the one with this name',
        scope: 'saved_searches:write',
        kind: 'change',
        body: SavedSearchCreate,
        responses: { 200: SavedSearch, 201: SavedSearch },
      },
      async ({ body, actor }) => {
        const id = newId()
        const now = clock.now()
        const row = await writeQueue
          .as(actor)
          .submit((tx) => saveSearch(tx, { id, created: now, updated: now, name: body.name, filters: jsonText(body.filters) }))
        return new RouteResponse(row.id === id ? 201 : 200, toSavedSearchResponse(row))
      },
    ),
    route(
      {
        method: 'GET',
        path: '/saved_searches/:id',
        tag,
        summary: 'Read a saved search',
        scope: 'saved_searches:read',
        kind: 'query',
        params: IdParams,
        responses: { 200: SavedSearch },
      },
      async ({ params }) => {
        const row = await readSavedSearch(reads, params.id)
        if (!row) throw notFound('Saved search')
        return toSavedSearchResponse(row)
      },
    ),
    route(
      {
        method: 'POST',
        path: '/saved_searches/filter',
        tag,
        summary: 'List saved searches',
        scope: 'saved_searches:read',
        kind: 'query',
        body: SavedSearchesFilterBody,
        responses: { 200: Type.Array(SavedSearch) },
      },
      async ({ body }) =>
        (await listSavedSearches(reads, pageLimit(body.limit, config.server.api.default_limit), body.offset)).map(toSavedSearchResponse),
    ),
    route(
      {
        method: 'DELETE',
        path: '/saved_searches/:id',
        tag,
        summary: 'Delete a saved search',
        scope: 'saved_searches:write',
        kind: 'change',
        params: IdParams,
        responses: { 204: null },
      },
      async ({ params, actor }) => {
        const deleted = await writeQueue.as(actor).submit((tx) => deleteSavedSearch(tx, params.id))
        if (deleted === 0) throw notFound('Saved search')
      },
    ),
  ]
}
