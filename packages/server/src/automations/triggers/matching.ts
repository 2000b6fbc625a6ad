import type { ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import type { MatchBudget } from '../../events/match-budget.ts'
import type { ResourceLabels } from '../../lib/event-record.ts'
import type { Micros } from '../../lib/time.ts'
import { isAutomationEvent, matchesAutomationEvent } from './automation-events.ts'
import { matchesName, matchesValue } from './patterns.ts'

/** An event of the log, as triggers see it. */
export interface TriggerEvent {
  readonly id: string
  readonly position: number
  readonly occurred: Micros
  readonly received: Micros
  readonly event: string
  readonly resource: ResourceLabels
  readonly related: readonly ResourceLabels[]
  /** Reference to the event as JSON. Stored in buckets and firings. */
  readonly text: string
}

/** What an event of a name does to a trigger. */
export interface NameMatch {
  /** Whether the trigger counts it. */
  readonly isExpected: boolean
  readonly startsPeriod: boolean
}

export function matchEventName(trigger: EventTrigger, name: string, budget: MatchBudget): NameMatch {
  const { expect, after } = trigger
  if (isAutomationEvent(name)) {
    return {
      isExpected: matchesAutomationEvent(expect, trigger, name, budget),
      startsPeriod: after.length > 0 && matchesAutomationEvent(after, trigger, name, budget),
    }
  }
  return { isExpected: expect.length === 0 || matchesAnyPattern(expect, name, budget), startsPeriod: matchesAnyPattern(after, name, budget) }
}

const matchesAnyPattern = (patterns: readonly string[], name: string, budget: MatchBudget): boolean =>
  patterns.some((pattern) => matchesName(name, pattern, budget))

/** Whether the resources of an event match the trigger. Each specification in `match_related` needs a matching related resource. */
export function matchesResources(
  { match, match_related }: EventTrigger,
  { resource, related }: Pick<TriggerEvent, 'resource' | 'related'>,
  budget: MatchBudget,
): boolean {
  const specifications = Array.isArray(match_related) ? match_related : [match_related]
  return (
    matchesSpecification(match, [resource], budget) && specifications.every((specification) => matchesSpecification(specification, related, budget))
  )
}

function matchesSpecification(specification: ResourceSpecification, candidates: readonly ResourceLabels[], budget: MatchBudget): boolean {
  const labels = Object.entries(specification)
  return labels.length === 0 || candidates.some((candidate) => labels.every(([label, expected]) => matchesLabel(candidate[label], expected, budget)))
}

const matchesLabel = (value: string | undefined, expected: string | readonly string[], budget: MatchBudget): boolean =>
  value !== undefined &&
  (typeof expected === 'string' ? matchesValue(value, expected, budget) : expected.some((pattern) => matchesValue(value, pattern, budget)))

/** The distinct `for_each` labels, sorted. */
export const groupingLabels = ({ for_each }: EventTrigger): string[] => [...new Set(for_each)].sort()

/** The values of the `for_each` labels in an event. Each combination has its own bucket. */
export const bucketLabelValues = (trigger: EventTrigger, event: TriggerEvent): string[] =>
  groupingLabels(trigger).map((label) => findLabel(event, label) ?? '')

/** `related:<role>:<label>` reads a label of the first related resource with that role; any other text is a label of the primary resource. */
export function findLabel({ resource, related }: Pick<TriggerEvent, 'resource' | 'related'>, label: string): string | undefined {
  const match = /^related:(.*):([^:]*)$/s.exec(label)
  const found = match && related.find((candidate) => candidate['prefect.resource.role'] === match[1])
  return found ? found[match[2] as string] : resource[label]
}
