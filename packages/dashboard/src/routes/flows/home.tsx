import { createFileRoute } from '@tanstack/react-router'
import { FlowsPage } from '../../features/flows/flows-page.tsx'
import { readFlowsSearch } from '../../features/flows/flows-search.ts'

export const Route = createFileRoute('/flows/')({ validateSearch: readFlowsSearch, component: Flows })

function Flows() {
  const navigate = Route.useNavigate()
  return <FlowsPage search={Route.useSearch()} onSearch={(search) => void navigate({ search, replace: true })} />
}
