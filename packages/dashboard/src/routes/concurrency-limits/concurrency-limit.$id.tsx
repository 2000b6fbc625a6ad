import { createFileRoute } from '@tanstack/react-router'
import { ConcurrencyLimitPage } from '../../features/concurrency-limits/concurrency-limit-page.tsx'

export const Route = createFileRoute('/concurrency-limits/concurrency-limit/$id')({ component: ConcurrencyLimit })

function ConcurrencyLimit() {
  const { id } = Route.useParams()
  return <ConcurrencyLimitPage key={id} id={id} />
}
