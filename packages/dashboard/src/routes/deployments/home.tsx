import { createFileRoute } from '@tanstack/react-router'
import { DeploymentsPage } from '../../features/deployments/deployments-page.tsx'
import { readDeploymentsSearch } from '../../features/deployments/deployments-search.ts'

export const Route = createFileRoute('/deployments/')({ validateSearch: readDeploymentsSearch, component: Deployments })

function Deployments() {
  const navigate = Route.useNavigate()
  return <DeploymentsPage search={Route.useSearch()} onSearch={(search) => void navigate({ search, replace: true })} />
}
