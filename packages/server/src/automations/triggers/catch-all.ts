import type { ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import type { EventTrigger, Trigger } from '@millrace/contracts/trigger.ts'

/** Text before the first `*` of a pattern that still covers everything that the server emits. */
const isCatchAllPattern = (pattern: string): boolean => pattern.includes('*') && 'prefect.'.startsWith(pattern.split('*', 1)[0] as string)

/** Whether a trigger takes every event, or every event of the server: it neither names events nor asks for certain resources. */
export function isCatchAll(trigger: Trigger): boolean {
  if (trigger.type === 'event') return isCatchAllEventTrigger(trigger)
  // Where one of several is enough, one that takes everything makes the whole do so.
  const anyWill = trigger.type === 'compound' && (trigger.require === 'any' || trigger.require === 1)
  return anyWill ? trigger.triggers.some(isCatchAll) : trigger.triggers.every(isCatchAll)
}

function isCatchAllEventTrigger({ expect, match, match_related }: EventTrigger): boolean {
  const related = Array.isArray(match_related) ? match_related : [match_related]
  return (expect.length === 0 || expect.some(isCatchAllPattern)) && matchesAnyResource(match) && related.every(matchesAnyResource)
}

const matchesAnyResource = (specification: ResourceSpecification): boolean =>
  Object.values(specification).every((values) => (typeof values === 'string' ? [values] : values).some(isCatchAllPattern))
