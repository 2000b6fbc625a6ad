import type { EventCount, EventPage, EventsCountBody, EventsCreateBody, EventsFilterBody } from '@millrace/contracts/event.ts'
import type { CallOptions } from '../http.ts'
import { OperationGroup } from './operation-group.ts'

export class Events extends OperationGroup {
  /** Records events, all of them or none. */
  create(body: EventsCreateBody, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/events', { body, isIdempotent: true, options })
  }

  /** Lists events page by page. */
  listPage(body: EventsFilterBody = {}, options?: CallOptions): Promise<EventPage> {
    return this.http.call('POST', '/events/filter', { body, isIdempotent: true, options })
  }

  /** Reads the next page of a list of events. */
  nextPage(token: string, options?: CallOptions): Promise<EventPage> {
    return this.http.call('GET', '/events/filter/next', { query: { 'page-token': token }, options })
  }

  /** Counts events by day, time bucket, name or resource. */
  countBy(countable: string, body: EventsCountBody, options?: CallOptions): Promise<EventCount[]> {
    return this.http.call('POST', '/events/count-by/{countable}', { path: { countable }, body, isIdempotent: true, options })
  }
}
