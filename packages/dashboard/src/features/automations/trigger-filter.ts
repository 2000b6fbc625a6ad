import type { EventFilter, ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import { type EventTriggerDraft, isTriggerGroup, nonEmptyRelated, type TriggerDraft, toList } from './trigger-draft.ts'

/** The triggers of events within a trigger, each once. */
export const listEventTriggers = (trigger: TriggerDraft): EventTriggerDraft[] =>
  isTriggerGroup(trigger) ? (trigger.triggers ?? []).flatMap(listEventTriggers) : [trigger]

const wildcard = /[*?]/

/**
 * The events that a trigger looks at, as the log is asked for them: those it starts with as well as those it expects. The log knows names and
 * beginnings of names, and takes them together; a pattern with more behind its first star is asked for by its beginning.
 */
export function triggerFilter(trigger: EventTriggerDraft, since: string): EventFilter {
  const names = [...new Set([...(trigger.expect ?? []), ...(trigger.after ?? [])])]
  // Nothing expected is everything expected, whatever it starts with.
  const all = (trigger.expect ?? []).length === 0 || names.includes('*')
  const isPlain = names.every((name) => !wildcard.test(name))
  const prefixes = names.map((name) => name.split(wildcard)[0] as string)
  const match = withoutEmptyLabels(trigger.match ?? {})
  const related = nonEmptyRelated(trigger).map(withoutEmptyLabels)
  return {
    occurred: { since },
    ...(all ? {} : { event: isPlain ? { name: names } : { prefix: prefixes } }),
    ...(Object.keys(match).length > 0 && { resource: { labels: match } }),
    ...(related.length > 0 && { related: related.map((labels) => ({ labels })) }),
  }
}

/** Labels that are still being written ask for nothing. */
const withoutEmptyLabels = (spec: ResourceSpecification): ResourceSpecification =>
  Object.fromEntries(Object.entries(spec).filter(([label, value]) => label !== '' && toList(value).some((each) => each !== '')))
