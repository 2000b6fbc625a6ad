import type { ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import type { EventTrigger, Trigger } from '@millrace/contracts/trigger.ts'

/** Text before the first `*` of a pattern that still covers everything that the server emits. */
const isWide = (pattern: string): boolean => pattern.includes('*') && 'prefect.'.startsWith(pattern.split('*', 1)[0] as string)

/** Whether a trigger takes every event, or every event of the server: it neither names events nor asks for certain resources. */
export function isCatchAll(trigger: Trigger): boolean {
  if (trigger.type === 'event') return takesEverything(trigger)
  // Where one of several is enough, one that takes everything makes the whole do so.
  const anyWill = trigger.type === 'compound' && (trigger.require === 'any' || trigger.require === 1)
  return anyWill ? trigger.triggers.some(isCatchAll) : trigger.triggers.every(isCatchAll)
}

function takesEverything({ expect, match, match_related }: EventTrigger): boolean {
  const related = Array.isArray(match_related) ? match_related : [match_related]
  return (expect.length === 0 || expect.some(isWide)) && asksForNothing(match) && related.every(asksForNothing)
}

const asksForNothing = (specification: ResourceSpecification): boolean =>
  Object.values(specification).every((values) => (typeof values === 'string' ? [values] : values).some(isWide))
