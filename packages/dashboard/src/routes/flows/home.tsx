import { createFileRoute } from '@tanstack/react-router'
import { FlowsPage } from '../../features/flows/flows-page.tsx'
import { count } from '../../search-params.ts'

export const Route = createFileRoute('/flows/')({
  validateSearch: (params): { page?: number } => {
    const page = count(params.page)
    return page === undefined ? {} : { page }
  },
  component: Flows,
})

function Flows() {
  const { page = 1 } = Route.useSearch()
  const navigate = Route.useNavigate()
  return <FlowsPage page={page} onPage={(next) => void navigate({ search: next > 1 ? { page: next } : {} })} />
}
