import Type, { type Static } from 'typebox'
import { bySearch, fewTexts, ids, texts } from './filter.ts'
import { defaulted, emptyDefault, model, namedEnum, orNull, TextPair, Time } from './primitives.ts'

/** Longer patterns of stored automations and of page tokens are not matched. */
export const patternLengthMax = 1000

/** A text that may contain wildcards. */
export const Pattern = Type.String({ 'x-text': true, maxLength: patternLengthMax })

/** Labels and their allowed values. A value may contain `*`; a leading `!` negates it. */
export const ResourceSpecification = Type.Record(Type.String(), Type.Union([Pattern, Type.Array(Pattern, { 'x-items-max': 1000 })]), {
  $id: 'ResourceSpecification',
  'x-items-max': 100,
})
export type ResourceSpecification = Static<typeof ResourceSpecification>

/** By default `since` is half a year ago and `until` is now. */
export const EventOccurredFilter = model('EventOccurredFilter', { since: Type.Optional(Time), until: Type.Optional(Time) })

export const EventNameFilter = model('EventNameFilter', { prefix: fewTexts, exclude_prefix: fewTexts, name: texts, exclude_name: texts })

const labels = orNull(ResourceSpecification)

/** `distinct` keeps only the newest event of each resource. */
export const EventResourceFilter = model('EventResourceFilter', {
  id: texts,
  id_prefix: fewTexts,
  labels,
  distinct: defaulted(Type.Boolean(), false),
})

/** `resources_in_roles` are pairs of a resource's id and its role. */
export const EventRelatedFilter = model('EventRelatedFilter', {
  id: texts,
  role: texts,
  resources_in_roles: orNull(Type.Array(TextPair, { 'x-items-max': 1000 })),
  labels,
})

export const EventAnyResourceFilter = model('EventAnyResourceFilter', { id: texts, id_prefix: fewTexts, labels })

/** Each one is matched against every resource of an event. */
const several = { 'x-items-max': 50 }

export const EventIDFilter = model('EventIDFilter', { id: ids })

export const EventTextFilter = model('EventTextFilter', bySearch)

export const EventOrder = namedEnum('EventOrder', 'ASC', 'DESC')
export type EventOrder = Static<typeof EventOrder>

export const EventFilter = model('EventFilter', {
  occurred: Type.Optional(EventOccurredFilter),
  event: orNull(EventNameFilter),
  resource: orNull(EventResourceFilter),
  related: orNull(Type.Union([EventRelatedFilter, Type.Array(EventRelatedFilter, several)])),
  any_resource: orNull(Type.Union([EventAnyResourceFilter, Type.Array(EventAnyResourceFilter, several)])),
  id: emptyDefault(EventIDFilter),
  text: orNull(EventTextFilter),
  order: defaulted(EventOrder, 'DESC'),
})
export type EventFilter = Static<typeof EventFilter>
