import type { EventFilter, ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import { type EventDraft, isGroup, relatedOf, type TriggerDraft, valuesOf } from './trigger-draft.ts'

/** The triggers of events within a trigger, each once. */
export const eventTriggers = (trigger: TriggerDraft): EventDraft[] => (isGroup(trigger) ? (trigger.triggers ?? []).flatMap(eventTriggers) : [trigger])

const wild = /[*?]/

/**
 * The events that a trigger looks at, as the log is asked for them: those it starts with as well as those it expects. The log knows names and
 * beginnings of names, and takes them together; a pattern with more behind its first star is asked for by its beginning.
 */
export function triggerFilter(trigger: EventDraft, since: string): EventFilter {
  const names = [...new Set([...(trigger.expect ?? []), ...(trigger.after ?? [])])]
  // Nothing expected is everything expected, whatever it starts with.
  const all = (trigger.expect ?? []).length === 0 || names.includes('*')
  const isPlain = names.every((name) => !wild.test(name))
  const prefixes = names.map((name) => name.split(wild)[0] as string)
  const match = withValues(trigger.match ?? {})
  const related = relatedOf(trigger).map(withValues)
  return {
    occurred: { since },
    ...(all ? {} : { event: isPlain ? { name: names } : { prefix: prefixes } }),
    ...(Object.keys(match).length > 0 && { resource: { labels: match } }),
    ...(related.length > 0 && { related: related.map((labels) => ({ labels })) }),
  }
}

/** Labels that are still being written ask for nothing. */
const withValues = (spec: ResourceSpecification): ResourceSpecification =>
  Object.fromEntries(Object.entries(spec).filter(([label, value]) => label !== '' && valuesOf(value).some((each) => each !== '')))
