import { createFileRoute } from '@tanstack/react-router'
import { WorkPoolPage } from '../../features/work-pools/work-pool-page.tsx'

export const Route = createFileRoute('/work-pools/work-pool/$name')({ component: WorkPool })

function WorkPool() {
  const { name } = Route.useParams()
  return <WorkPoolPage key={name} name={name} />
}
