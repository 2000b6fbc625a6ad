import { createFileRoute } from '@tanstack/react-router'
import { VariablesPage } from '../features/variables/variables-page.tsx'
import { readVariablesSearch } from '../features/variables/variables-search.ts'

export const Route = createFileRoute('/variables')({ validateSearch: readVariablesSearch, component: Variables })

function Variables() {
  const navigate = Route.useNavigate()
  return <VariablesPage search={Route.useSearch()} onSearch={(search) => void navigate({ search, replace: true })} />
}
