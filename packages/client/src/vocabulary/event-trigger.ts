import type { ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import type { TriggerSent } from '@millrace/contracts/trigger.ts'

/** Trigger as edited. Fields with server defaults may be missing. */
export type EventTriggerDraft = Extract<TriggerSent, { posture: string }>
export type TriggerGroupDraft = Exclude<TriggerSent, EventTriggerDraft>
export type TriggerDraft = TriggerSent

export const isTriggerGroup = (trigger: TriggerDraft): trigger is TriggerGroupDraft => trigger.type === 'compound' || trigger.type === 'sequence'

/** Event trigger with all defaults filled in, for comparison. */
export interface CompleteEventTrigger {
  readonly match: ResourceSpecification
  readonly related: readonly ResourceSpecification[]
  readonly after: readonly string[]
  readonly expect: readonly string[]
  readonly for_each: readonly string[]
  readonly posture: EventTriggerDraft['posture']
  readonly threshold: number
  readonly within: number
}

export const withTriggerDefaults = (trigger: EventTriggerDraft): CompleteEventTrigger => ({
  match: trigger.match ?? {},
  related: nonEmptyRelated(trigger),
  after: trigger.after ?? [],
  expect: trigger.expect ?? [],
  for_each: trigger.for_each ?? [],
  posture: trigger.posture,
  threshold: trigger.threshold ?? 1,
  within: trigger.within ?? 0,
})

/** Specifications of related resources, without empty ones. All must match. */
export const nonEmptyRelated = ({ match_related }: EventTriggerDraft): ResourceSpecification[] =>
  (Array.isArray(match_related) ? match_related : [match_related ?? {}]).filter((each) => Object.keys(each).length > 0)

/** A single specification is sent without a list, as most clients do. */
export const toMatchRelated = (specs: readonly ResourceSpecification[]): NonNullable<EventTriggerDraft['match_related']> =>
  specs.length === 0 ? {} : specs.length === 1 ? (specs[0] as ResourceSpecification) : [...specs]

export const toList = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value
