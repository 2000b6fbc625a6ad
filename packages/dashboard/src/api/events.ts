import type { Countable, EventCount, EventPage, EventsCountBody, EventsFilterBody, ReceivedEvent } from '@millrace/contracts/event.ts'
import type { EventFilter } from '@millrace/contracts/event-filter.ts'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type RequestBody } from './client.ts'

const noun = 'events'

export const eventsQuery = (body: RequestBody<typeof EventsFilterBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => call<EventPage>('POST', '/events/filter', { body, signal }),
    placeholderData: keepPreviousData,
  })

/** `next_page` is an absolute URL that a proxy may have rewritten, so only its token is used. */
const nextPageToken = ({ next_page }: EventPage): string | undefined =>
  next_page === null ? undefined : (new URL(next_page, location.href).searchParams.get('page-token') ?? undefined)

const pageSize = 50

/** Events, page by page. */
export const eventPagesQuery = (filter: EventFilter) =>
  infiniteQueryOptions({
    queryKey: [noun, 'pages', filter],
    queryFn: ({ pageParam, signal }) =>
      pageParam === ''
        ? call<EventPage>('POST', '/events/filter', { body: { filter, limit: pageSize }, signal })
        : call<EventPage>('GET', '/events/filter/next', { query: { 'page-token': pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: nextPageToken,
    placeholderData: keepPreviousData,
    // Events never change; new events arrive over the socket.
    staleTime: Number.POSITIVE_INFINITY,
  })

export const eventCountsQuery = (by: Countable, body: RequestBody<typeof EventsCountBody>) =>
  queryOptions({
    queryKey: [noun, 'counts', by, body],
    queryFn: ({ signal }) => call<EventCount[]>('POST', `/events/count-by/${by}`, { body, signal }),
    placeholderData: keepPreviousData,
  })

const daySeconds = 86_400

/** One event by id. The day of its time makes the lookup fast and may be off by one. Null if it does not exist. */
export const eventQuery = (day: string, id: string) =>
  queryOptions({
    queryKey: [noun, 'one', id],
    queryFn: async ({ signal }): Promise<ReceivedEvent | null> => {
      const at = Date.parse(day)
      const around = (days: number) => new Date(at + days * daySeconds * 1000).toISOString()
      const filter = { id: { id: [id] }, ...(Number.isNaN(at) ? {} : { occurred: { since: around(-1), until: around(2) } }) }
      return (await call<EventPage>('POST', '/events/filter', { body: { filter, limit: 1 }, signal })).events[0] ?? null
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
