import { createFileRoute } from '@tanstack/react-router'
import { FlowPage } from '../../features/flows/flow-page.tsx'

export const Route = createFileRoute('/flows/flow/$id')({ component: Flow })

function Flow() {
  const { id } = Route.useParams()
  return <FlowPage key={id} id={id} />
}
