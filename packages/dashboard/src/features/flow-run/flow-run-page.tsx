import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense } from 'react'
import { artifactsQuery } from '../../api/artifacts.ts'
import { flowRunQuery } from '../../api/flow-runs.ts'
import { flowQuery } from '../../api/flows.ts'
import { describeError } from '../../api/problem.ts'
import { flowRunStatesQuery } from '../../api/run-states.ts'
import { taskRunStatesQuery } from '../../api/task-runs.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Page } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { StateBadge } from '../../ui/state-badge.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ArtifactsTable } from '../artifacts/artifacts-table.tsx'
import { LogView } from '../logs/log-view.tsx'
import { TaskRunsTable } from '../task-runs/task-runs-table.tsx'
import { possibleDeeds } from './possible-deeds.ts'
import { ResumePanel } from './resume-panel.tsx'
import { RunActions } from './run-actions.tsx'
import { RunBanner } from './run-banner.tsx'
import { RunFacts } from './run-facts.tsx'
import type { RunTab } from './run-tabs.ts'
import { StateHistory } from './state-history.tsx'

const RunGraph = lazy(() => import('../run-graph/run-graph.tsx').then(({ RunGraph }) => ({ default: RunGraph })))

interface FlowRunPageProps {
  readonly id: string
  readonly tab: RunTab
  onTab(tab: RunTab): void
}

/** One run: where it is, why, and everything it left behind. */
export function FlowRunPage({ id, tab, onTab }: FlowRunPageProps) {
  const query = useQuery(flowRunQuery(id))
  const flow = useQuery({ ...flowQuery(query.data?.flow_id ?? ''), enabled: query.data !== undefined })
  const run = query.data
  if (query.isError && !run) {
    return (
      <Page title="Run" crumbs={[{ label: 'Runs', to: '/runs' }]}>
        <ErrorState {...describeError(query.error)} onRetry={() => void query.refetch()} />
      </Page>
    )
  }
  if (!run) {
    return (
      <Page title="Run" crumbs={[{ label: 'Runs', to: '/runs' }]}>
        <SkeletonRows rows={12} label="Loading the run" />
      </Page>
    )
  }
  return (
    <Page
      title={run.name}
      crumbs={[
        { label: 'Runs', to: '/runs' },
        { label: flow.data?.name ?? '…', to: `/flows/flow/${run.flow_id}` },
      ]}
      beside={<StateBadge type={run.state_type} name={run.state_name} pill />}
      actions={<RunActions run={run} />}
      fill="wide"
    >
      <RunBanner run={run} />
      {possibleDeeds(run.state_type).resume && <ResumePanel key={run.state_id} run={run} />}
      <div className="flex min-h-96 flex-1 gap-6">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <RunTabs run={run} tab={tab} onTab={onTab} />
        </div>
        <aside aria-label="About the run" className="hidden w-72 shrink-0 overflow-y-auto pt-2 lg:block">
          <RunFacts run={run} />
        </aside>
      </div>
    </Page>
  )
}

function RunTabs({ run, tab, onTab }: { readonly run: FlowRunResponse; readonly tab: RunTab; onTab(tab: RunTab): void }) {
  const growing = !possibleDeeds(run.state_type).isEnded
  const tasks = useQuery(taskRunStatesQuery({ flow_runs: { id: { any_: [run.id] } } }))
  const artifacts = useQuery(artifactsQuery({ artifacts: { flow_run_id: { any_: [run.id] }, type: { not_any_: ['result'] } } }))
  const states = useQuery(flowRunStatesQuery(run.id))
  const panels: Record<RunTab, () => ReactNode> = {
    logs: () => <LogView of={{ flow_run_id: run.id }} name={run.name} growing={growing} />,
    graph: () => (
      <Suspense fallback={<SkeletonRows label="Loading the graph" />}>
        <RunGraph flowRunId={run.id} growing={growing} />
      </Suspense>
    ),
    tasks: () => <TaskRunsTable flowRunId={run.id} growing={growing} />,
    states: () => <StateHistory states={states} />,
    parameters: () =>
      Object.keys(run.parameters).length === 0 ? <EmptyState title="It has no parameters" /> : <JsonView label="Parameters" value={run.parameters} />,
    artifacts: () => <ArtifactsTable artifacts={artifacts} />,
    details: () => (
      <div className="max-w-xl">
        <RunFacts run={run} />
        <div className="mt-6">
          <JsonView label="The run as the API has it" value={run} />
        </div>
      </div>
    ),
  }
  return (
    <Tabs
      label="Parts of the run"
      value={tab}
      onChange={(next) => onTab(next as RunTab)}
      tabs={[
        { value: 'logs', label: 'Logs' },
        { value: 'graph', label: 'Graph' },
        { value: 'tasks', label: 'Task runs', count: tasks.data && Object.values(tasks.data).reduce((sum, count) => sum + count, 0) },
        { value: 'states', label: 'States', count: states.data?.length },
        { value: 'parameters', label: 'Parameters', count: Object.keys(run.parameters).length },
        { value: 'artifacts', label: 'Artifacts', count: artifacts.data?.length },
        { value: 'details', label: 'Details' },
      ]}
    >
      {panels[tab]()}
    </Tabs>
  )
}
