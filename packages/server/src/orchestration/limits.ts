import type { DeploymentLimitSnapshot, RuleSettings } from './rule.ts'

/** The limit that a tag may have goes by this name. */
export const tagLimitName = (tag: string): string => `tag:${tag}`

/** The names of the limits that a task's tags may have, each once. */
export const tagLimitNames = (tags: readonly string[]): readonly string[] => [...new Set(tags)].map(tagLimitName)

/** How long a run may be silent before its deployment's slot is somebody else's. */
export const deploymentLeaseSeconds = (limit: DeploymentLimitSnapshot, settings: RuleSettings): number =>
  limit.grace_period_seconds ?? settings.deployment_lease_seconds

const holdersListedMax = 3

/** Who has the slots, for people and for the explanation; long lists are cut. */
export function describeHolders(holders: readonly string[]): string {
  if (holders.length === 0) return 'held by nobody'
  const named = holders.slice(0, holdersListedMax)
  const more = holders.length - named.length
  return `held by ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
