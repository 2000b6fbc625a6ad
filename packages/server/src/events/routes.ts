import { Countable, EventCount, EventPage, EventsCountBody, EventsFilterBody, EventsNextQuery } from '@millrace/contracts/event.ts'
import type { EventFilter } from '@millrace/contracts/event-filter.ts'
import Type from 'typebox'
import { type Route, route } from '../lib/route.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { countEvents } from './count-events.ts'
import { timeRangeOf, toCriteria } from './criteria.ts'
import { findEvents } from './find-events.ts'
import { type Ingest, ingestRoute } from './ingest.ts'
import { readEventPage } from './log-reader.ts'
import { decodePageToken, encodePageToken, type PageToken } from './page-token.ts'
import { eventAnswer } from './store.ts'

const tag = 'Events'
const read = 'events:read'

export function eventRoutes({ heavyReads: reads, clock }: ServerContext, ingest: Ingest): Route[] {
  /** A page with the URL of the next one. */
  const readPage = async (token: Omit<PageToken, 'total'> & { total?: number }, url: string): Promise<EventPage> => {
    const { filter, since, until, limit, shown, after } = token
    const criteria = toCriteria(filter, { since, until })
    const { keys, total } = await findEvents(reads, criteria, {
      limit,
      ...(after ? { after } : {}),
      ...(token.total === undefined ? {} : { total: token.total }),
    })
    const events = (await readEventPage(reads, keys)).map(eventAnswer)
    if (shown + limit >= total) return { events, total, next_page: null }
    const next = encodePageToken({ filter, since, until, total, limit, shown: shown + limit, after: keys.at(-1) ?? after })
    return { events, total, next_page: `${listPath(url)}/next?page-token=${next}` }
  }

  return [
    ingestRoute(ingest),
    route(
      {
        method: 'POST',
        path: '/events/filter',
        tag,
        summary: 'List events page by page',
        description: 'Returns a page, the exact number of all events that match, and the address of the next page.',
        scope: read,
        kind: 'query',
        body: EventsFilterBody,
        responses: { 200: EventPage },
      },
      ({ body, url }) => {
        const filter: EventFilter = body.filter ?? {}
        return readPage({ filter, ...timeRangeOf(filter, clock.now()), limit: body.limit, shown: 0, after: null }, url)
      },
    ),
    route(
      {
        method: 'GET',
        path: '/events/filter/next',
        tag,
        summary: 'Read the next page of a list of events',
        scope: read,
        kind: 'query',
        query: EventsNextQuery,
        responses: { 200: EventPage },
      },
      ({ query, url }) => readPage(decodePageToken(query['page-token']), url),
    ),
    route(
      {
        method: 'POST',
        path: '/events/count-by/:countable',
        tag,
        summary: 'Count events by day, time bucket, name or resource',
        description: 'The counts are exact.',
        scope: read,
        kind: 'query',
        params: Type.Object({ countable: Countable }),
        body: EventsCountBody,
        responses: { 200: Type.Array(EventCount) },
      },
      ({ params, body }) => {
        const now = clock.now()
        const criteria = toCriteria(body.filter, timeRangeOf(body.filter, now))
        return countEvents(reads, criteria, params.countable, { unit: body.time_unit, interval: body.time_interval }, now)
      },
    ),
  ]
}

const listPath = (url: string): string => /^.*\/events\/filter(?=\/|\?|$)/.exec(url.split('?')[0] as string)?.[0] ?? url
