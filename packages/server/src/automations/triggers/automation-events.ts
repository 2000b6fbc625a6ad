import type { ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import { matchesName } from './patterns.ts'

/** What the names of events about automations begin with. */
const families = ['prefect.automation', 'prefect-cloud.automation', 'millrace.automation']

/** Whether an event tells of an automation: that it was changed, fired, acted or was suspended. */
export const isAboutAutomations = (name: string): boolean => families.some((family) => name.startsWith(`${family}.`))

/**
 * Events about automations reach only triggers that name them; otherwise every automation that catches everything would answer all others. A pattern names
 * them when the text before its first `*` does: `prefect.automation.*`, but neither `*` nor `prefect.*`. A trigger may also name them by the resource that
 * it asks for.
 */
export function namesAutomationEvent(patterns: readonly string[], { match }: Pick<EventTrigger, 'match'>, name: string): boolean {
  if (patterns.some((pattern) => names(literalPrefix(pattern)) && matchesName(name, pattern))) return true
  return asksForAutomations(match) && (patterns.length === 0 || patterns.some((pattern) => matchesName(name, pattern)))
}

const literalPrefix = (pattern: string): string => pattern.split('*', 1)[0] as string

const names = (text: string): boolean => families.some((family) => text.startsWith(family))

function asksForAutomations(match: ResourceSpecification): boolean {
  const ids = match['prefect.resource.id']
  if (ids === undefined) return false
  const patterns = typeof ids === 'string' ? [ids] : ids
  return patterns.length > 0 && patterns.every((pattern) => literalPrefix(pattern).startsWith('prefect.automation.'))
}
