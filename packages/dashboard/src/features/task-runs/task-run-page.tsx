import { useQuery } from '@tanstack/react-query'
import { taskRunStateHistoryQuery } from '../../api/run-states.ts'
import { taskRunQuery } from '../../api/task-runs.ts'
import { Facts } from '../../ui/facts.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Page } from '../../ui/page.tsx'
import { StateBadge } from '../../ui/state-badge.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { Duration, TimeText } from '../../ui/time-text.tsx'
import { StateHistory } from '../flow-run/state-history.tsx'
import { LogView } from '../logs/log-view.tsx'
import { QueryView } from '../query-view.tsx'

const ended = ['COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED']

interface TaskRunPageProps {
  readonly id: string
  readonly tab: string
  onTab(tab: string): void
}

export function TaskRunPage({ id, tab, onTab }: TaskRunPageProps) {
  const query = useQuery(taskRunQuery(id))
  const states = useQuery(taskRunStateHistoryQuery(id))
  const run = query.data
  return (
    <Page
      title={run?.name ?? 'Task run'}
      crumbs={[
        { label: 'Runs', to: '/runs' },
        ...(run?.flow_run_id ? [{ label: run.flow_run_name ?? 'its run', to: `/runs/flow-run/${run.flow_run_id}` }] : []),
      ]}
      beside={run && <StateBadge type={run.state_type} name={run.state_name} pill />}
      fill="wide"
    >
      <QueryView query={query}>
        {(found) => (
          <Tabs
            label="Parts of the task run"
            value={tab}
            onChange={onTab}
            tabs={[
              { value: 'logs', label: 'Logs' },
              { value: 'states', label: 'States', count: states.data?.length },
              { value: 'inputs', label: 'Inputs', count: Object.keys(found.task_inputs).length },
              { value: 'details', label: 'Details' },
            ]}
          >
            {tab === 'logs' && <LogView of={{ task_run_id: id }} name={found.name} growing={!ended.includes(found.state_type ?? '')} />}
            {tab === 'states' && <StateHistory states={states} />}
            {tab === 'inputs' && <JsonView label="Inputs" value={found.task_inputs} />}
            {tab === 'details' && (
              <div className="flex max-w-xl flex-col gap-6">
                <Facts
                  facts={[
                    { name: 'Task', value: <code className="font-mono text-sm">{found.task_key}</code> },
                    { name: 'Started', value: <TimeText time={found.start_time} show="second" /> },
                    { name: 'Ended', value: <TimeText time={found.end_time} show="second" /> },
                    { name: 'Took', value: <Duration seconds={found.total_run_time} /> },
                    { name: 'Attempts', value: found.run_count },
                    found.cache_key !== null && { name: 'Cache key', value: <code className="font-mono text-sm">{found.cache_key}</code> },
                    found.tags.length > 0 && { name: 'Tags', value: <TagList tags={found.tags} limit={12} /> },
                  ]}
                />
                <JsonView label="The task run as the API has it" value={found} />
              </div>
            )}
          </Tabs>
        )}
      </QueryView>
    </Page>
  )
}
