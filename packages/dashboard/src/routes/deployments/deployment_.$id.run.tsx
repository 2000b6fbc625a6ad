import { createFileRoute } from '@tanstack/react-router'
import { CustomRunPage } from '../../features/deployments/custom-run-page.tsx'

export const Route = createFileRoute('/deployments/deployment_/$id/run')({ component: CustomRun })

function CustomRun() {
  const { id } = Route.useParams()
  return <CustomRunPage key={id} id={id} />
}
