import type { DeploymentLimitSnapshot, LimitUsage, RuleSettings } from './rule.ts'

/** Duration of the lease of a deployment slot between two renewals. */
export const deploymentLeaseSeconds = (limit: DeploymentLimitSnapshot, settings: RuleSettings): number =>
  limit.grace_period_seconds ?? settings.deployment_lease_seconds

const holdersInText = 3
const holdersInFacts = 10

/** Why a limit gives no slot, without a full stop: verdicts add what follows from it. */
export function describeFullLimit(name: string, { active, slots, holders }: LimitUsage): string {
  if (!active) return `Concurrency limit ${name} is not active`
  return `Concurrency limit ${name} has no free slot (${slots} in total${holders.length === 0 ? '' : `, ${describeHolders(holders)}`})`
}

/** `held by` and the first run ids. */
export function describeHolders(holders: readonly string[]): string {
  const others = holders.length - holdersInText
  return `held by ${holders.slice(0, holdersInText).join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}

/** The facts of a verdict about a limit. */
export const limitFacts = (name: string, { slots, holders }: LimitUsage) => ({ limit: name, slots, holders: holders.slice(0, holdersInFacts) })
