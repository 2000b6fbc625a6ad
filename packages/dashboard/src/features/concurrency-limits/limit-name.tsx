import type { GlobalConcurrencyLimitResponse } from '@millrace/contracts/global-concurrency-limit.ts'
import { DeploymentName } from '../flow-runs/filter-chips.tsx'
import { deploymentIdOf, limitKindOf, tagOfLimit } from './limits-search.ts'

/** The display name of a limit: its tag or deployment, or its own name. */
export function LimitName({ limit }: { readonly limit: Pick<GlobalConcurrencyLimitResponse, 'name'> }) {
  const id = deploymentIdOf(limit.name)
  if (id) return <DeploymentName id={id} />
  return <>{limitKindOf(limit) === 'tag' ? tagOfLimit(limit.name) : limit.name}</>
}
