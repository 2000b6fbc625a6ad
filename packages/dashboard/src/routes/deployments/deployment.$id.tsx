import { createFileRoute } from '@tanstack/react-router'
import { DeploymentPage } from '../../features/deployments/deployment-page.tsx'

export const Route = createFileRoute('/deployments/deployment/$id')({ component: Deployment })

function Deployment() {
  const { id } = Route.useParams()
  return <DeploymentPage key={id} id={id} />
}
