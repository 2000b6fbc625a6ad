import { createFileRoute } from '@tanstack/react-router'
import { ConcurrencyLimitsPage } from '../../features/concurrency-limits/concurrency-limits-page.tsx'
import { readLimitsSearch } from '../../features/concurrency-limits/limits-search.ts'
import { onlyValid } from '../../search-params.ts'
import { useSearchChange } from '../../use-search-change.ts'

export const Route = createFileRoute('/concurrency-limits/')({ validateSearch: onlyValid(readLimitsSearch), component: ConcurrencyLimits })

function ConcurrencyLimits() {
  return <ConcurrencyLimitsPage search={Route.useSearch()} onSearch={useSearchChange()} />
}
