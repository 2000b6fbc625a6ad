import { createFileRoute } from '@tanstack/react-router'
import { deploymentQuery } from '../../api/deployments.ts'
import { DeploymentPage } from '../../features/deployments/deployment-page.tsx'
import { type DeploymentTab, deploymentTabs } from '../../features/deployments/deployments-search.ts'
import { onlyValid, readString } from '../../search-params.ts'

export const Route = createFileRoute('/deployments/deployment/$id')({
  validateSearch: onlyValid((params): { tab?: DeploymentTab } => {
    const tab = deploymentTabs.find((each) => each === readString(params.tab))
    return tab === undefined ? {} : { tab }
  }),
  // Starts here, so that data and code load in parallel.
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(deploymentQuery(params.id)),
  component: Deployment,
})

function Deployment() {
  const { id } = Route.useParams()
  const { tab = 'runs' } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <DeploymentPage key={id} id={id} tab={tab} onTab={(next) => void navigate({ search: next === 'runs' ? {} : { tab: next }, replace: true })} />
  )
}
