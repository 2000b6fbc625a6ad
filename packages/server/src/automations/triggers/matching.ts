import type { ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import type { EventTrigger } from '@millrace/contracts/trigger.ts'
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

/** Whether an event of this name can be counted by the trigger or start its period. */
export const mayMatchName = (trigger: EventTrigger, name: string): boolean => isExpected(trigger, name) || startsPeriod(trigger, name)

export function isExpected(trigger: EventTrigger, name: string): boolean {
  const { expect } = trigger
  if (isAutomationEvent(name)) return matchesAutomationEvent(expect, trigger, name)
  return expect.length === 0 || matchesAnyPattern(expect, name)
}

export function startsPeriod(trigger: EventTrigger, name: string): boolean {
  const { after } = trigger
  return isAutomationEvent(name) ? after.length > 0 && matchesAutomationEvent(after, trigger, name) : matchesAnyPattern(after, name)
}

const matchesAnyPattern = (patterns: readonly string[], name: string): boolean => patterns.some((pattern) => matchesName(name, pattern))

/** Whether the resources of an event match the trigger. Each specification in `match_related` needs a matching related resource. */
export function matchesResources({ match, match_related }: EventTrigger, { resource, related }: Pick<TriggerEvent, 'resource' | 'related'>): boolean {
  const specifications = Array.isArray(match_related) ? match_related : [match_related]
  return matchesSpecification(match, [resource]) && specifications.every((specification) => matchesSpecification(specification, related))
}

function matchesSpecification(specification: ResourceSpecification, candidates: readonly ResourceLabels[]): boolean {
  const labels = Object.entries(specification)
  return labels.length === 0 || candidates.some((candidate) => labels.every(([label, expected]) => matchesLabel(candidate[label], expected)))
}

const matchesLabel = (value: string | undefined, expected: string | readonly string[]): boolean =>
  value !== undefined && (typeof expected === 'string' ? matchesValue(value, expected) : expected.some((pattern) => matchesValue(value, pattern)))

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
