import type { MillraceClient } from '@millrace/client/client.ts'
import type { CallOptions } from '@millrace/client/http.ts'
import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import type { EventFilter } from '@millrace/contracts/event-filter.ts'

/** The API's maximum. */
const pageSize = 50

/** Iterates over the events that match, page by page. */
export async function* readEvents(
  client: MillraceClient,
  filter: EventFilter,
  { max = Number.POSITIVE_INFINITY, ...options }: CallOptions & { readonly max?: number } = {},
): AsyncGenerator<ReceivedEvent, void, undefined> {
  let page = await client.events.listPage({ filter, limit: Math.min(pageSize, max) }, options)
  for (let count = 0; ; ) {
    for (const event of page.events.slice(0, max - count)) {
      yield event
      count += 1
    }
    const token = page.next_page === null ? null : new URL(page.next_page, client.http.url).searchParams.get('page-token')
    if (token === null || count >= max) return
    page = await client.events.nextPage(token, options)
  }
}
