import type { Countable, EventsCountBody, EventsFilterBody, ReceivedEvent } from '@millrace/contracts/event.ts'
import type { EventFilter } from '@millrace/contracts/event-filter.ts'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

const noun = 'events'

export const eventsQuery = (body: EventsFilterBody = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => client.events.listPage(body, { signal }),
    placeholderData: keepPreviousData,
  })

const pageSize = 50

/** Events, page by page. */
export const eventPagesQuery = (filter: EventFilter) =>
  infiniteQueryOptions({
    queryKey: [noun, 'pages', filter],
    queryFn: ({ pageParam, signal }) =>
      pageParam === '' ? client.events.listPage({ filter, limit: pageSize }, { signal }) : client.events.nextPage(pageParam, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_page }) => next_page ?? undefined,
    placeholderData: keepPreviousData,
    // Events never change; new events arrive over the socket.
    staleTime: Number.POSITIVE_INFINITY,
  })

export const eventCountsQuery = (by: Countable, body: EventsCountBody) =>
  queryOptions({
    queryKey: [noun, 'counts', by, body],
    queryFn: ({ signal }) => client.events.countBy(by, body, { signal }),
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
      return (await client.events.listPage({ filter, limit: 1 }, { signal })).events[0] ?? null
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
