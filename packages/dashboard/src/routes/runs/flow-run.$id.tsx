import { createFileRoute } from '@tanstack/react-router'
import { flowRunQuery } from '../../api/flow-runs.ts'
import { FlowRunPage } from '../../features/flow-run/flow-run-page.tsx'
import { type RunTab, runTabs } from '../../features/flow-run/run-tabs.ts'
import { one } from '../../search-params.ts'

export const Route = createFileRoute('/runs/flow-run/$id')({
  validateSearch: (params): { tab?: RunTab } => {
    const tab = runTabs.find((each) => each === one(params.tab))
    return tab === undefined ? {} : { tab }
  },
  // Begun here, so that data and code are fetched at once.
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(flowRunQuery(params.id)),
  component: FlowRun,
})

function FlowRun() {
  const { id } = Route.useParams()
  const { tab = 'logs' } = Route.useSearch()
  const navigate = Route.useNavigate()
  return <FlowRunPage key={id} id={id} tab={tab} onTab={(next) => void navigate({ search: next === 'logs' ? {} : { tab: next }, replace: true })} />
}
