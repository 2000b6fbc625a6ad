import { createFileRoute } from '@tanstack/react-router'
import { prefetchFlowRunPage } from '../../api/flow-run-page-queries.ts'
import { flowRunQuery } from '../../api/flow-runs.ts'
import { runGraphQuery } from '../../api/run-graph.ts'
import { FlowRunPage } from '../../features/flow-run/flow-run-page.tsx'
import { readRunSearch } from '../../features/flow-run/run-search.ts'
import { useSearchChange } from '../../use-search-change.ts'

export const Route = createFileRoute('/runs/flow-run/$id')({
  validateSearch: readRunSearch,
  loaderDeps: ({ search: { tab, level, text } }) => ({ graph: tab === 'graph', logs: tab === undefined && !level && !text }),
  // Starts here, so that data and code load in parallel. On hover, only the run is loaded.
  loader: ({ context, params, deps, cause }) => {
    void context.queryClient.prefetchQuery(flowRunQuery(params.id))
    if (cause === 'enter') prefetchFlowRunPage(context.queryClient, params.id, deps.logs)
    if (deps.graph) void context.queryClient.prefetchQuery(runGraphQuery(params.id))
  },
  component: FlowRun,
})

function FlowRun() {
  const { id } = Route.useParams()
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <FlowRunPage key={id} id={id} search={search} onTab={(tab) => void navigate({ search: { tab }, replace: true })} onSearch={useSearchChange()} />
  )
}
