import { createFileRoute } from '@tanstack/react-router'
import { EditDeploymentPage } from '../../features/deployments/edit-deployment-page.tsx'

export const Route = createFileRoute('/deployments/deployment_/$id/edit')({ component: EditDeployment })

function EditDeployment() {
  const { id } = Route.useParams()
  return <EditDeploymentPage key={id} id={id} />
}
