import Type, { type Static, type TSchema, type TUnsafe } from 'typebox'
import { Pattern, ResourceSpecification } from './event-filter.ts'
import { Duration, defaulted, duration, enumOf, lenientModel, nullable, type Received, Text, Uuid } from './primitives.ts'

/**
 * Triggers of automations. Unknown keys are dropped, and the server replaces a sent `id`.
 * Compound and sequence triggers contain triggers, so these schemas are recursive: `Type.Optional` and `Type.Unsafe` must not wrap
 * them, because both copy their argument.
 */

const names = defaulted(Type.Array(Text, { uniqueItems: true, 'x-items-max': 1000 }), [])

const namePatterns = defaulted(Type.Array(Pattern, { uniqueItems: true, 'x-items-max': 1000 }), [])

/** Reactive fires on the presence of events, proactive on their absence. */
export const Posture = enumOf('Reactive', 'Proactive')
export type Posture = Static<typeof Posture>

const id = Type.Optional(Uuid)

export const EventTrigger = lenientModel('EventTrigger', {
  type: defaulted(Type.Literal('event'), 'event'),
  id,
  match: defaulted(ResourceSpecification, {}),
  match_related: defaulted(Type.Union([ResourceSpecification, Type.Array(ResourceSpecification, { 'x-items-max': 50 })]), {}),
  after: namePatterns,
  expect: namePatterns,
  for_each: names,
  posture: Posture,
  threshold: defaulted(Type.Integer(), 1),
  within: defaulted(duration({ minimum: 0 }), 0, { 'x-default': 'PT0S' }),
})
export type EventTrigger = Received<typeof EventTrigger> & { id: string }

export interface CompoundTrigger {
  type: 'compound'
  id: string
  triggers: Trigger[]
  within: number | null
  /** The number of triggers that must fire. */
  require: number | 'any' | 'all'
}

/** All triggers must fire in order. */
export interface SequenceTrigger {
  type: 'sequence'
  id: string
  triggers: Trigger[]
  within: number | null
}

/** A trigger as stored and returned. */
export type Trigger = EventTrigger | CompoundTrigger | SequenceTrigger

type SentGroup<T extends CompoundTrigger | SequenceTrigger> = Omit<T, 'type' | 'id' | 'triggers'> &
  Partial<Pick<T, 'type' | 'id'>> & { triggers: TriggerSent[] }

/** A trigger as sent. */
export type TriggerSent = Static<typeof EventTrigger> | SentGroup<CompoundTrigger> | SentGroup<SequenceTrigger>

const members: TSchema[] = [EventTrigger]
const anyTrigger = { anyOf: members } as unknown as TUnsafe<TriggerSent>
const triggers = Type.Array(anyTrigger, { 'x-items-max': 100 })

export const CompoundTrigger = lenientModel('CompoundTrigger', {
  type: defaulted(Type.Literal('compound'), 'compound'),
  id,
  triggers,
  within: nullable(Duration),
  require: Type.Union([Type.Integer({ minimum: 1 }), enumOf('any', 'all')]),
})

export const SequenceTrigger = lenientModel('SequenceTrigger', {
  type: defaulted(Type.Literal('sequence'), 'sequence'),
  id,
  triggers,
  within: nullable(Duration),
})

members.push(CompoundTrigger, SequenceTrigger)

export const Trigger = anyTrigger

/** The same schema with the response type. */
export const AnsweredTrigger = anyTrigger as unknown as TUnsafe<Trigger>
