import { type EventTriggerDraft, isTriggerGroup, nonEmptyRelated, type TriggerDraft, toList } from '@millrace/client/vocabulary/event-trigger.ts'
import type { EventFilter, ResourceSpecification } from '@millrace/contracts/event-filter.ts'

/** All event triggers within a trigger. */
export const listEventTriggers = (trigger: TriggerDraft): EventTriggerDraft[] =>
  isTriggerGroup(trigger) ? (trigger.triggers ?? []).flatMap(listEventTriggers) : [trigger]

const wildcard = /[*?]/

/**
 * Event filter of a trigger, for `expect` and `after` events. The API filters by names and prefixes; a pattern with text after its first `*`
 * becomes a prefix.
 */
export function triggerFilter(trigger: EventTriggerDraft, since: string): EventFilter {
  const names = [...new Set([...(trigger.expect ?? []), ...(trigger.after ?? [])])]
  // An empty `expect` matches every event.
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

/** Drops labels without values. */
const withoutEmptyLabels = (spec: ResourceSpecification): ResourceSpecification =>
  Object.fromEntries(Object.entries(spec).filter(([label, value]) => label !== '' && toList(value).some((each) => each !== '')))
