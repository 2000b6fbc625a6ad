import Type, { type Static } from 'typebox'
import { EventFilter } from './event-filter.ts'
import { defaulted, FreeObject, lenientModel, namedEnum, nullable, orNull, parameters, response, Text, Time, Uuid } from './primitives.ts'

/** The resource of an event: labels by name, including its id. */
export const Resource = Type.Record(Type.String(), Text, { $id: 'Resource', required: ['prefect.resource.id'] })
export type Resource = Static<typeof Resource>

/** A related resource of an event. */
export const RelatedResource = Type.Record(Type.String(), Text, {
  $id: 'RelatedResource',
  required: ['prefect.resource.id', 'prefect.resource.role'],
})
export type RelatedResource = Static<typeof RelatedResource>

/** An event as sent by a client. */
export const Event = lenientModel('Event', {
  occurred: Time,
  event: Text,
  resource: Resource,
  related: defaulted(Type.Array(RelatedResource), []),
  payload: defaulted(FreeObject, {}),
  id: Uuid,
  follows: orNull(Uuid),
})
export type Event = Static<typeof Event>

/** The body is the list itself. */
export const EventsCreateBody = Type.Array(Event)
export type EventsCreateBody = Static<typeof EventsCreateBody>

export const ReceivedEvent = response('ReceivedEvent', {
  occurred: Time,
  event: Text,
  resource: Resource,
  related: Type.Array(RelatedResource),
  payload: FreeObject,
  id: Uuid,
  follows: nullable(Uuid),
  received: Time,
})
export type ReceivedEvent = Static<typeof ReceivedEvent>

export const EventsFilterBody = parameters({ filter: orNull(EventFilter), limit: defaulted(Type.Integer({ minimum: 0, maximum: 50 }), 50) })
export type EventsFilterBody = Static<typeof EventsFilterBody>

/** `next_page` is the absolute URL of the next page. */
export const EventPage = response('EventPage', {
  events: Type.Array(ReceivedEvent),
  total: Type.Integer(),
  next_page: nullable(Type.String({ format: 'uri', minLength: 1 })),
})
export type EventPage = Static<typeof EventPage>

export const EventsNextQuery = Type.Object({ 'page-token': Text })
export type EventsNextQuery = Static<typeof EventsNextQuery>

export const Countable = namedEnum('Countable', 'day', 'time', 'event', 'resource')
export type Countable = Static<typeof Countable>

export const TimeUnit = namedEnum('TimeUnit', 'week', 'day', 'hour', 'minute', 'second')
export type TimeUnit = Static<typeof TimeUnit>

export const EventsCountBody = parameters({
  filter: EventFilter,
  time_unit: defaulted(TimeUnit, 'day'),
  time_interval: defaulted(Type.Number({ minimum: 0.01 }), 1),
})
export type EventsCountBody = Static<typeof EventsCountBody>

export const EventCount = response('EventCount', { value: Text, label: Text, count: Type.Integer(), start_time: Time, end_time: Time })
export type EventCount = Static<typeof EventCount>
