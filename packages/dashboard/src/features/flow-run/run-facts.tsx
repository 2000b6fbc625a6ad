import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { taskRunQuery } from '../../api/task-runs.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { Duration, TimeText } from '../../ui/time-text.tsx'
import { DeploymentName } from '../flow-runs/filter-chips.tsx'
import { FlowName } from '../flow-runs/run-link.tsx'
import { RunDuration } from '../flow-runs/run-row.tsx'

/** Origin, times and IDs of the run. */
export function RunFacts({ run }: { readonly run: FlowRunResponse }) {
  return (
    <Facts
      facts={[
        {
          name: 'Flow',
          value: (
            <Link to="/flows/flow/$id" params={{ id: run.flow_id }} className="link">
              <FlowName id={run.flow_id} />
            </Link>
          ),
        },
        run.deployment_id !== null && {
          name: 'Deployment',
          value: (
            <Link to="/deployments/deployment/$id" params={{ id: run.deployment_id }} className="link">
              <DeploymentName id={run.deployment_id} />
            </Link>
          ),
        },
        run.work_pool_name !== null && {
          name: 'Work pool',
          value: (
            <>
              <Link to="/work-pools/work-pool/$name" params={{ name: run.work_pool_name }} className="link">
                {run.work_pool_name}
              </Link>
              {run.work_queue_name && <span className="text-soft"> / {run.work_queue_name}</span>}
            </>
          ),
        },
        run.parent_task_run_id !== null && { name: 'Started by', value: <ParentRunLink taskRunId={run.parent_task_run_id} /> },
        { name: 'Scheduled for', value: <TimeText time={run.expected_start_time} show="second" /> },
        { name: 'Started', value: <TimeText time={run.start_time} show="second" /> },
        run.end_time !== null && { name: 'Ended', value: <TimeText time={run.end_time} show="second" /> },
        { name: 'Duration', value: <RunDuration run={run} /> },
        run.estimated_start_time_delta > 1 && { name: 'Wait time', value: <Duration seconds={run.estimated_start_time_delta} /> },
        run.run_count > 1 && { name: 'Attempts', value: run.run_count },
        run.tags.length > 0 && { name: 'Tags', value: <TagList tags={run.tags} limit={12} /> },
        run.created_by && { name: 'Created by', value: run.created_by.display_value ?? run.created_by.type },
        run.infrastructure_pid !== null && { name: 'Process', value: <code className="font-mono text-sm">{run.infrastructure_pid}</code> },
        { name: 'Version', value: run.flow_version },
        {
          name: 'ID',
          value: (
            <span className="flex items-center gap-1">
              <code className="truncate font-mono text-sm" title={run.id}>
                {run.id}
              </code>
              <CopyButton text={run.id} label="Copy ID" />
            </span>
          ),
        },
      ]}
    />
  )
}

function ParentRunLink({ taskRunId }: { readonly taskRunId: string }) {
  const { data } = useQuery(taskRunQuery(taskRunId))
  if (!data?.flow_run_id) return <span className="text-faint">–</span>
  return (
    <Link to="/runs/flow-run/$id" params={{ id: data.flow_run_id }} className="link">
      {data.flow_run_name ?? 'Parent run'}
    </Link>
  )
}
