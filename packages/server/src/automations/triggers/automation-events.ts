import type { ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import { matchesName } from './patterns.ts'

/** What the names of events about automations begin with. */
const automationPrefixes = ['prefect.automation', 'prefect-cloud.automation', 'millrace.automation']

/** Whether an event tells of an automation: that it was changed, fired, acted or was suspended. */
export const isAutomationEvent = (name: string): boolean => automationPrefixes.some((family) => name.startsWith(`${family}.`))

/**
 * Events about automations reach only triggers that name them; otherwise every automation that catches everything would answer all others. A pattern names
 * them when the text before its first `*` does: `prefect.automation.*`, but neither `*` nor `prefect.*`. A trigger may also name them by the resource that
 * it asks for.
 */
export function matchesAutomationEvent(patterns: readonly string[], { match }: Pick<EventTrigger, 'match'>, name: string): boolean {
  if (patterns.some((pattern) => hasAutomationPrefix(literalPrefix(pattern)) && matchesName(name, pattern))) return true
  return matchesOnlyAutomations(match) && (patterns.length === 0 || patterns.some((pattern) => matchesName(name, pattern)))
}

const literalPrefix = (pattern: string): string => pattern.split('*', 1)[0] as string

const hasAutomationPrefix = (text: string): boolean => automationPrefixes.some((family) => text.startsWith(family))

function matchesOnlyAutomations(match: ResourceSpecification): boolean {
  const ids = match['prefect.resource.id']
  if (ids === undefined) return false
  const patterns = typeof ids === 'string' ? [ids] : ids
  return patterns.length > 0 && patterns.every((pattern) => literalPrefix(pattern).startsWith('prefect.automation.'))
}
