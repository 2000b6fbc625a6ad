import { createFileRoute } from '@tanstack/react-router'
import { DuplicateDeploymentPage } from '../../features/deployments/duplicate-deployment-page.tsx'

export const Route = createFileRoute('/deployments/deployment_/$id/duplicate')({ component: DuplicateDeployment })

function DuplicateDeployment() {
  const { id } = Route.useParams()
  return <DuplicateDeploymentPage key={id} id={id} />
}
