import { isEnded } from '@millrace/client/vocabulary/states.ts'
import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense } from 'react'
import { flowRunPageQueries, subflowsFilter } from '../../api/flow-run-page-queries.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ArtifactsTable } from '../artifacts/artifacts-table.tsx'
import { RunsTable } from '../flow-runs/runs-table.tsx'
import { LogView } from '../logs/log-view.tsx'
import { TaskRunsTable } from '../task-runs/task-runs-table.tsx'
import { ResultView } from './result-view.tsx'
import { RunFacts } from './run-facts.tsx'
import type { RunSearch, RunTab } from './run-search.ts'
import { StateHistory } from './state-history.tsx'

const RunGraph = lazy(() => import('../run-graph/run-graph.tsx').then((module) => ({ default: module.RunGraph })))

interface RunTabsProps {
  readonly run: FlowRunResponse
  readonly search: RunSearch
  onTab(tab: RunTab | undefined): void
  onSearch(change: RunSearch): void
}

/** The tabs of the run page. */
export function RunTabs({ run, search, onTab, onSearch }: RunTabsProps) {
  const { tab = 'logs' } = search
  const growing = !isEnded(run.state_type)
  const queries = flowRunPageQueries(run.id)
  const tasks = useQuery(queries.tasks)
  const subflows = useQuery(queries.subflows)
  const artifacts = useQuery(queries.artifacts)
  const states = useQuery(queries.states)
  const verdicts = useQuery(queries.verdicts)
  const filterProps = { search, onSearch }
  const panels: Record<RunTab, () => ReactNode> = {
    logs: () => <LogView of={{ flow_run_id: run.id }} name={run.name} growing={growing} {...filterProps} />,
    graph: () => (
      <Suspense fallback={<Skeleton className="min-h-64 w-full flex-1" />}>
        <RunGraph flowRunId={run.id} growing={growing} {...filterProps} />
      </Suspense>
    ),
    tasks: () => <TaskRunsTable flowRunId={run.id} growing={growing} {...filterProps} />,
    subflows: () => (
      <RunsTable filter={subflowsFilter(run.id)} empty={<EmptyState title="No sub-flows">Flows called by this flow appear here.</EmptyState>} />
    ),
    states: () => <StateHistory states={states} verdicts={verdicts} />,
    parameters: () => (
      <div className="flex flex-col gap-6">
        {Object.keys(run.parameters).length === 0 ? (
          <EmptyState title="No parameters" compact={run.state?.data != null} />
        ) : (
          <JsonView label="Parameters" value={run.parameters} />
        )}
        <ResultView state={run.state} />
      </div>
    ),
    artifacts: () => <ArtifactsTable artifacts={artifacts} />,
    details: () => (
      <div className="max-w-xl">
        <RunFacts run={run} />
        <div className="mt-6">
          <JsonView label="Flow run JSON" value={run} />
        </div>
      </div>
    ),
  }
  const history = states.data && states.data.length + (verdicts.data?.length ?? 0)
  return (
    <Tabs
      label="Run sections"
      value={tab}
      onChange={(next) => onTab(next === 'logs' ? undefined : (next as RunTab))}
      tabs={[
        { value: 'logs', label: 'Logs' },
        { value: 'graph', label: 'Graph' },
        { value: 'tasks', label: 'Task runs', count: tasks.data && Object.values(tasks.data).reduce((sum, count) => sum + count, 0) },
        ...(subflows.data || tab === 'subflows' ? [{ value: 'subflows', label: 'Sub-flows', count: subflows.data }] : []),
        { value: 'states', label: 'States', count: history },
        { value: 'parameters', label: 'Parameters', count: Object.keys(run.parameters).length },
        { value: 'artifacts', label: 'Artifacts', count: artifacts.data?.length },
        { value: 'details', label: 'Details' },
      ]}
    >
      {panels[tab]()}
    </Tabs>
  )
}
