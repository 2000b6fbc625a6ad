import { ApiError } from '@millrace/client/errors.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { describeError } from '../../api/describe-error.ts'
import { runGraphQuery } from '../../api/run-graph.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { GraphViewer } from './graph-viewer.tsx'
import type { GraphSearch } from './graph-views.ts'
import { buildScene } from './scene.ts'

/** The server scans the whole graph to find changes, so larger graphs are polled less often. */
const refetchSeconds = (nodes: number): number => (nodes < 1000 ? 2 : nodes < 5000 ? 5 : 10)

interface RunGraphProps {
  readonly flowRunId: string
  /** True while rows can be added or change. */
  readonly growing: boolean
  readonly search: GraphSearch
  onSearch(change: GraphSearch): void
}

/** Timeline and dependency graph of a run. Loaded when its tab opens. */
export function RunGraph({ flowRunId, growing, search, onSearch }: RunGraphProps) {
  const graph = useQuery({
    ...runGraphQuery(flowRunId),
    refetchInterval: ({ state }) => (growing ? refetchSeconds(state.data?.nodes.length ?? 0) * 1000 : false),
  })
  const scene = useMemo(() => graph.data && buildScene(graph.data), [graph.data])
  if (scene) {
    if (scene.nodes.length > 0) return <GraphViewer scene={scene} growing={growing} search={search} onSearch={onSearch} />
    return (
      <EmptyState title="No task runs yet">
        {growing ? 'Task runs and sub-flows appear here as they start.' : 'This run has no task runs.'}
      </EmptyState>
    )
  }
  if (!graph.isError) return <Skeleton className="min-h-64 w-full flex-1" />
  if (graph.error instanceof ApiError && graph.error.status === 400) {
    return (
      <EmptyState
        title="Too large to draw"
        command="MILLRACE_FLOW_RUNS_GRAPH_MAXIMUM_NODES=50000"
        action={
          <Link to="/runs/flow-run/$id" params={{ id: flowRunId }} search={{ tab: 'tasks' }} className={buttonClass('primary')}>
            Show task runs
          </Link>
        }
      >
        {graph.error.message}. Raise the limit with this server setting.
      </EmptyState>
    )
  }
  return <ErrorState {...describeError(graph.error)} onRetry={() => void graph.refetch()} />
}
