import { createFileRoute } from '@tanstack/react-router'
import { DeploymentsPage } from '../../features/deployments/deployments-page.tsx'
import { readDeploymentsSearch } from '../../features/deployments/deployments-search.ts'
import { onlyValid } from '../../search-params.ts'
import { useSearchChange } from '../../use-search-change.ts'

export const Route = createFileRoute('/deployments/')({ validateSearch: onlyValid(readDeploymentsSearch), component: Deployments })

function Deployments() {
  return <DeploymentsPage search={Route.useSearch()} onSearch={useSearchChange()} />
}
