import type { ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import type { ResourceLabels } from '../../lib/event-record.ts'
import { isAboutAutomations, namesAutomationEvent } from './automation-events.ts'
import { matchesName, matchesValue } from './patterns.ts'
import type { TriggerEvent } from './trigger-event.ts'

/** Whether an event of this name could matter to a trigger: it may count, or start a period. */
export const caresForName = (trigger: EventTrigger, name: string): boolean => expects(trigger, name) || startsAfter(trigger, name)

export function expects(trigger: EventTrigger, name: string): boolean {
  const { expect } = trigger
  if (isAboutAutomations(name)) return namesAutomationEvent(expect, trigger, name)
  return expect.length === 0 || isAmong(expect, name)
}

export function startsAfter(trigger: EventTrigger, name: string): boolean {
  const { after } = trigger
  return isAboutAutomations(name) ? after.length > 0 && namesAutomationEvent(after, trigger, name) : isAmong(after, name)
}

const isAmong = (patterns: readonly string[], name: string): boolean => patterns.some((pattern) => matchesName(name, pattern))

/** Whether an event is about the resources that a trigger asks for. Each of several specifications of related resources needs one that fits. */
export function coversResources({ match, match_related }: EventTrigger, { resource, related }: Pick<TriggerEvent, 'resource' | 'related'>): boolean {
  const wanted = Array.isArray(match_related) ? match_related : [match_related]
  return includes(match, [resource]) && wanted.every((specification) => includes(specification, related))
}

function includes(specification: ResourceSpecification, candidates: readonly ResourceLabels[]): boolean {
  const labels = Object.entries(specification)
  return labels.length === 0 || candidates.some((candidate) => labels.every(([label, expected]) => hasValue(candidate[label], expected)))
}

const hasValue = (value: string | undefined, expected: string | readonly string[]): boolean =>
  value !== undefined && (typeof expected === 'string' ? matchesValue(value, expected) : expected.some((pattern) => matchesValue(value, pattern)))

/** The labels that a trigger tells things apart by, in their fixed order. */
export const labelsOf = ({ for_each }: EventTrigger): string[] => [...new Set(for_each)].sort()

/** Their values in an event: each combination is counted for itself. */
export const bucketKey = (trigger: EventTrigger, event: TriggerEvent): string[] => labelsOf(trigger).map((label) => findLabel(event, label) ?? '')

/** `related:<role>:<label>` is the label of the first related resource in that role; everything else a label of what the event is about. */
export function findLabel({ resource, related }: Pick<TriggerEvent, 'resource' | 'related'>, label: string): string | undefined {
  const parts = /^related:(.*):([^:]*)$/s.exec(label)
  const found = parts && related.find((candidate) => candidate['prefect.resource.role'] === parts[1])
  return found ? found[parts[2] as string] : resource[label]
}
