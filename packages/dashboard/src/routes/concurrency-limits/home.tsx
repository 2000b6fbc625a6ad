import { createFileRoute } from '@tanstack/react-router'
import { ConcurrencyLimitsPage } from '../../features/concurrency-limits/concurrency-limits-page.tsx'
import { readLimitsSearch } from '../../features/concurrency-limits/limit-kinds.ts'

export const Route = createFileRoute('/concurrency-limits/')({ validateSearch: readLimitsSearch, component: ConcurrencyLimits })

function ConcurrencyLimits() {
  const navigate = Route.useNavigate()
  return <ConcurrencyLimitsPage search={Route.useSearch()} onSearch={(search) => void navigate({ search, replace: true })} />
}
