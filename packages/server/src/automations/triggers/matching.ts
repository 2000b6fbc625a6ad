import type { ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import type { ResourceLabels } from '../../lib/event-record.ts'
import { isAutomationEvent, matchesAutomationEvent } from './automation-events.ts'
import { matchesName, matchesValue } from './patterns.ts'
import type { TriggerEvent } from './trigger-event.ts'

/** Whether an event of this name could matter to a trigger: it may count, or start a period. */
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

/** Whether an event is about the resources that a trigger asks for. Each of several specifications of related resources needs one that fits. */
export function matchesResources({ match, match_related }: EventTrigger, { resource, related }: Pick<TriggerEvent, 'resource' | 'related'>): boolean {
  const wanted = Array.isArray(match_related) ? match_related : [match_related]
  return matchesSpecification(match, [resource]) && wanted.every((specification) => matchesSpecification(specification, related))
}

function matchesSpecification(specification: ResourceSpecification, candidates: readonly ResourceLabels[]): boolean {
  const labels = Object.entries(specification)
  return labels.length === 0 || candidates.some((candidate) => labels.every(([label, expected]) => matchesLabel(candidate[label], expected)))
}

const matchesLabel = (value: string | undefined, expected: string | readonly string[]): boolean =>
  value !== undefined && (typeof expected === 'string' ? matchesValue(value, expected) : expected.some((pattern) => matchesValue(value, pattern)))

/** The labels that a trigger tells things apart by, in their fixed order. */
export const groupingLabels = ({ for_each }: EventTrigger): string[] => [...new Set(for_each)].sort()

/** Their values in an event: each combination is counted for itself. */
export const bucketLabelValues = (trigger: EventTrigger, event: TriggerEvent): string[] =>
  groupingLabels(trigger).map((label) => findLabel(event, label) ?? '')

/** `related:<role>:<label>` is the label of the first related resource in that role; everything else a label of what the event is about. */
export function findLabel({ resource, related }: Pick<TriggerEvent, 'resource' | 'related'>, label: string): string | undefined {
  const parts = /^related:(.*):([^:]*)$/s.exec(label)
  const found = parts && related.find((candidate) => candidate['prefect.resource.role'] === parts[1])
  return found ? found[parts[2] as string] : resource[label]
}
