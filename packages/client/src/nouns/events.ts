import type {
  Countable,
  EventCount,
  EventPage,
  EventsCountBody,
  EventsCreateBody,
  EventsFilterBody,
  ReceivedEvent,
} from '@millrace/contracts/event.ts'
import type { EventFilter } from '@millrace/contracts/event-filter.ts'
import type { CallOptions } from '../http.ts'
import type { PageOptions } from '../pages.ts'
import { Subscription, type SubscriptionOptions, type SubscriptionSource } from '../subscriptions/subscription.ts'
import { OperationGroup } from './operation-group.ts'

/** The largest page that the server allows. */
const defaultPageSize = 50

/** Searches end now by default. Events of senders whose clock is ahead are later. */
const endOfTime = '9999-12-31T23:59:59Z'

/** What happened to the resources of the server, and events that clients send. */
export class Events extends OperationGroup {
  /** Records events, all of them or none. An event whose id was recorded before is ignored. */
  create(body: EventsCreateBody, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/events', { body, isIdempotent: true, options })
  }

  /** Lists the first page of events, newest first by default, at most 50. `nextPage` returns the others. */
  listPage(body: EventsFilterBody = {}, options?: CallOptions): Promise<EventPage> {
    return this.http.call('POST', '/events/filter', { body, isIdempotent: true, options })
  }

  /** Reads the page after another one. `next` is its `next_page`, or only the token in it. */
  nextPage(next: string, options?: CallOptions): Promise<EventPage> {
    // The URL is that of the server, which a proxy may have changed: only the token is used.
    const token = next.includes('page-token=') ? new URLSearchParams(next.slice(next.indexOf('?') + 1)).get('page-token') : next
    return this.http.call('GET', '/events/filter/next', { query: { 'page-token': token }, options })
  }

  /** Iterates over all matching events until now, newest first by default. Events that are recorded during the iteration do not disturb it. */
  async *listAll(
    body: Omit<EventsFilterBody, 'limit'> = {},
    { pageSize = defaultPageSize, max = Number.POSITIVE_INFINITY, ...options }: PageOptions = {},
  ): AsyncGenerator<ReceivedEvent, void, undefined> {
    if (max <= 0) return
    let returned = 0
    let page = await this.listPage({ ...body, limit: Math.min(pageSize, max) }, options)
    for (;;) {
      for (const event of page.events) {
        yield event
        returned += 1
        if (returned >= max) return
      }
      if (page.next_page === null) return
      page = await this.nextPage(page.next_page, options)
    }
  }

  /** Counts events by day, time bucket, name (`event`) or resource. */
  countBy(countable: Countable, body: EventsCountBody, options?: CallOptions): Promise<EventCount[]> {
    return this.http.call('POST', '/events/count-by/{countable}', { path: { countable }, body, isIdempotent: true, options })
  }

  /**
   * Iterates over matching events as they are recorded: those since `filter.occurred.since`, oldest first, or only new ones without it. Reconnects when
   * the connection is lost and returns every event once, except for those that are recorded more than two minutes after they occurred while there is no
   * connection. Throws an `UnauthorizedError` for wrong credentials.
   */
  subscribe(filter: Omit<EventFilter, 'order'> = {}, options?: SubscriptionOptions): Subscription<ReceivedEvent> {
    return new Subscription(this.http, this.#source(filter), options)
  }

  #source(filter: Omit<EventFilter, 'order'>): SubscriptionSource<ReceivedEvent> {
    const { since, until } = filter.occurred ?? {}
    const within = (from: string | undefined, to: string | undefined): EventFilter => ({
      ...filter,
      occurred: { ...(from !== undefined && { since: from }), ...(to !== undefined && { until: to }) },
    })
    return {
      path: '/events/out',
      start: since,
      filterFrame: (withRecent) => ({
        type: 'filter',
        filter: within(withRecent ? since : undefined, until),
        backfill: withRecent && since !== undefined,
      }),
      itemOf: (frame) => (frame.type === 'event' ? (frame.event as ReceivedEvent) : undefined),
      describe: ({ id, occurred, received }) => ({ id, time: occurred, storedAt: received }),
      readSince: (from, options) => this.listAll({ filter: { ...within(from, until ?? endOfTime), order: 'ASC' } }, options),
      readNewest: async (options) => (await this.listPage({ filter: { ...within(undefined, until), order: 'DESC' }, limit: 1 }, options)).events[0],
    }
  }
}
