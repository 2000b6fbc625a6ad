import type { EventPage, EventsFilterBody } from '@millrace/contracts/event.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { Sent } from './sent.ts'

export const eventsQuery = (body: Sent<typeof EventsFilterBody> = {}) =>
  queryOptions({ queryKey: ['events', 'list', body], queryFn: ({ signal }) => call<EventPage>('POST', '/events/filter', { body, signal }) })
