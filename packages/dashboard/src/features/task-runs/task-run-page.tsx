import { isEnded } from '@millrace/client/vocabulary/states.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { artifactsQuery } from '../../api/artifacts.ts'
import { taskRunStateHistoryQuery, verdictsQuery } from '../../api/state-history.ts'
import { taskRunQuery } from '../../api/task-runs.ts'
import { buttonClass } from '../../ui/button.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Page } from '../../ui/page.tsx'
import { StateBadge } from '../../ui/state-badge.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ArtifactsTable } from '../artifacts/artifacts-table.tsx'
import { ResultView } from '../flow-run/result-view.tsx'
import { StateHistory } from '../flow-run/state-history.tsx'
import { LogView } from '../logs/log-view.tsx'
import { QueryView } from '../query-view.tsx'
import { TaskInputsView } from './task-inputs-view.tsx'
import { TaskRunFacts } from './task-run-facts.tsx'
import type { TaskRunSearch, TaskRunTab } from './task-run-search.ts'

interface TaskRunPageProps {
  readonly id: string
  readonly search: TaskRunSearch
  onTab(tab: TaskRunTab | undefined): void
  onSearch(change: TaskRunSearch): void
}

export function TaskRunPage({ id, search, onTab, onSearch }: TaskRunPageProps) {
  const { tab = 'logs' } = search
  const query = useQuery(taskRunQuery(id))
  const states = useQuery(taskRunStateHistoryQuery(id))
  const verdicts = useQuery(verdictsQuery('task-runs', id))
  const artifacts = useQuery(artifactsQuery({ artifacts: { task_run_id: { any_: [id] }, type: { not_any_: ['result'] } } }))
  const run = query.data
  return (
    <Page
      title={run?.name ?? 'Task run'}
      crumbs={[
        { label: 'Runs', to: '/runs' },
        ...(run?.flow_run_id ? [{ label: run.flow_run_name ?? 'Flow run', to: `/runs/flow-run/${run.flow_run_id}` }] : []),
      ]}
      titleAside={run && <StateBadge type={run.state_type} name={run.state_name} pill />}
      actions={
        run?.flow_run_id && (
          <Link to="/runs/flow-run/$id" params={{ id: run.flow_run_id }} search={{ tab: 'graph', node: id }} className={buttonClass('plain')}>
            Show in graph
          </Link>
        )
      }
      fill="wide"
    >
      <QueryView query={query}>
        {(found) => (
          <Tabs
            label="Task run sections"
            value={tab}
            onChange={(next) => onTab(next === 'logs' ? undefined : (next as TaskRunTab))}
            tabs={[
              { value: 'logs', label: 'Logs' },
              { value: 'states', label: 'States', count: states.data && states.data.length + (verdicts.data?.length ?? 0) },
              { value: 'inputs', label: 'Inputs', count: Object.keys(found.task_inputs).length },
              { value: 'artifacts', label: 'Artifacts', count: artifacts.data?.length },
              { value: 'details', label: 'Details' },
            ]}
          >
            {tab === 'logs' && (
              <LogView of={{ task_run_id: id }} name={found.name} growing={!isEnded(found.state_type)} search={search} onSearch={onSearch} />
            )}
            {tab === 'states' && <StateHistory states={states} verdicts={verdicts} />}
            {tab === 'inputs' && <TaskInputsView inputs={found.task_inputs} />}
            {tab === 'artifacts' && <ArtifactsTable artifacts={artifacts} />}
            {tab === 'details' && (
              <div className="flex max-w-xl flex-col gap-6">
                <TaskRunFacts run={found} />
                <ResultView state={found.state} />
                <JsonView label="Task run JSON" value={found} />
              </div>
            )}
          </Tabs>
        )}
      </QueryView>
    </Page>
  )
}
