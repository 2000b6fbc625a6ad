import type { DeploymentLimitSnapshot, RuleSettings } from './rule.ts'

/** How long a run may be silent before its deployment's slot is somebody else's. */
export const deploymentLeaseSeconds = (limit: DeploymentLimitSnapshot, settings: RuleSettings): number =>
  limit.grace_period_seconds ?? settings.deployment_lease_seconds
