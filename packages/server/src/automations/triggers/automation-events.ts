import type { ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import type { EventTrigger, Trigger } from '@millrace/contracts/trigger.ts'
import type { MatchBudget } from '../../events/match-budget.ts'
import { matchesName } from './patterns.ts'

const automationPrefixes = ['prefect.automation', 'prefect-cloud.automation', 'millrace.automation']

/** Whether an event is about an automation: changed, fired, acted or suspended. */
export const isAutomationEvent = (name: string): boolean => automationPrefixes.some((prefix) => name.startsWith(`${prefix}.`))

/**
 * Events about automations match only triggers that name them. Otherwise every catch-all automation would react to all others. A pattern names them when
 * the text before its first `*` does: `prefect.automation.*`, but neither `*` nor `prefect.*`. A trigger can also name them by resource id in `match`.
 */
export function matchesAutomationEvent(
  patterns: readonly string[],
  { match }: Pick<EventTrigger, 'match'>,
  name: string,
  budget: MatchBudget,
): boolean {
  if (patterns.some((pattern) => hasAutomationPrefix(literalPrefix(pattern)) && matchesName(name, pattern, budget))) return true
  return matchesOnlyAutomations(match) && (patterns.length === 0 || patterns.some((pattern) => matchesName(name, pattern, budget)))
}

const literalPrefix = (pattern: string): string => pattern.split('*', 1)[0] as string

const hasAutomationPrefix = (text: string): boolean => automationPrefixes.some((prefix) => text.startsWith(prefix))

function matchesOnlyAutomations(match: ResourceSpecification): boolean {
  const ids = match['prefect.resource.id']
  if (ids === undefined) return false
  const patterns = typeof ids === 'string' ? [ids] : ids
  return patterns.length > 0 && patterns.every((pattern) => literalPrefix(pattern).startsWith('prefect.automation.'))
}

/** Whether a pattern matches every event of the server: `*`, `p*` … `prefect.*`. */
const isCatchAllPattern = (pattern: string): boolean => pattern.includes('*') && 'prefect.'.startsWith(literalPrefix(pattern))

/** Whether a trigger matches every event of the server: it restricts neither event names nor resources. */
export function isCatchAll(trigger: Trigger): boolean {
  if (trigger.type === 'event') return isCatchAllEventTrigger(trigger)
  // A compound that needs one child matches everything as soon as one child does.
  const needsOne = trigger.type === 'compound' && (trigger.require === 'any' || trigger.require === 1)
  return needsOne ? trigger.triggers.some(isCatchAll) : trigger.triggers.every(isCatchAll)
}

function isCatchAllEventTrigger({ expect, match, match_related }: EventTrigger): boolean {
  const related = Array.isArray(match_related) ? match_related : [match_related]
  return (expect.length === 0 || expect.some(isCatchAllPattern)) && matchesAnyResource(match) && related.every(matchesAnyResource)
}

const matchesAnyResource = (specification: ResourceSpecification): boolean =>
  Object.values(specification).every((values) => (typeof values === 'string' ? [values] : values).some(isCatchAllPattern))
