import { createFileRoute } from '@tanstack/react-router'
import { flowRunQuery } from '../../api/flow-runs.ts'
import { runGraphQuery } from '../../api/run-graph.ts'
import { FlowRunPage } from '../../features/flow-run/flow-run-page.tsx'
import { readRunSearch } from '../../features/flow-run/run-search.ts'
import { useSearchChange } from '../../use-search-change.ts'

export const Route = createFileRoute('/runs/flow-run/$id')({
  validateSearch: readRunSearch,
  loaderDeps: ({ search }) => ({ graph: search.tab === 'graph' }),
  // Begun here, so that data and code are fetched at once.
  loader: ({ context, params, deps }) => {
    void context.queryClient.prefetchQuery(flowRunQuery(params.id))
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
