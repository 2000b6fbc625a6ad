import Type, { type Static, type TSchema, type TUnsafe } from 'typebox'
import { ResourceSpecification } from './event-filter.ts'
import { Duration, defaulted, duration, enumOf, lenientModel, nullable, type Received, Text, Uuid } from './primitives.ts'

/**
 * What makes an automation fire. Unknown keys are dropped, and an `id` that is sent is replaced by one of the server's.
 * Compound and sequence triggers hold triggers, and so do their schemas: these objects have cycles. Neither `Type.Optional`
 * nor `Type.Unsafe` may be laid around them, since both copy what they get.
 */

const names = defaulted(Type.Array(Text, { uniqueItems: true, 'x-items-max': 1000 }), [])

/** Reactive fires on the presence of events, proactive on their absence. */
export const Posture = enumOf('Reactive', 'Proactive')
export type Posture = Static<typeof Posture>

const id = Type.Optional(Uuid)

export const EventTrigger = lenientModel('EventTrigger', {
  type: defaulted(Type.Literal('event'), 'event'),
  id,
  match: defaulted(ResourceSpecification, {}),
  match_related: defaulted(Type.Union([ResourceSpecification, Type.Array(ResourceSpecification, { 'x-items-max': 50 })]), {}),
  after: names,
  expect: names,
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
  /** How many of the triggers have to fire. */
  require: number | 'any' | 'all'
}

/** All of its triggers have to fire, in their order. */
export interface SequenceTrigger {
  type: 'sequence'
  id: string
  triggers: Trigger[]
  within: number | null
}

/** A trigger as it is kept and answered. */
export type Trigger = EventTrigger | CompoundTrigger | SequenceTrigger

type SentGroup<T extends CompoundTrigger | SequenceTrigger> = Omit<T, 'type' | 'id' | 'triggers'> &
  Partial<Pick<T, 'type' | 'id'>> & { triggers: TriggerSent[] }

/** A trigger as it may be sent. */
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

/** The same schema, typed as what is answered. */
export const AnsweredTrigger = anyTrigger as unknown as TUnsafe<Trigger>
