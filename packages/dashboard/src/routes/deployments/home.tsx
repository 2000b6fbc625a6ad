import { createFileRoute } from '@tanstack/react-router'
import { DeploymentsPage } from '../../features/deployments/deployments-page.tsx'
import { count } from '../../search-params.ts'

export const Route = createFileRoute('/deployments/')({
  validateSearch: (params): { page?: number } => {
    const page = count(params.page)
    return page === undefined ? {} : { page }
  },
  component: Deployments,
})

function Deployments() {
  const { page = 1 } = Route.useSearch()
  const navigate = Route.useNavigate()
  return <DeploymentsPage page={page} onPage={(next) => void navigate({ search: next > 1 ? { page: next } : {} })} />
}
