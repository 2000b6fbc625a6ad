import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { flowRunCountQuery, flowRunsQuery } from '../../api/flow-runs.ts'
import { taskRunStateCountsQuery } from '../../api/task-runs.ts'
import { toDisplayState } from '../../ui/display-state.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { StateIcon } from '../../ui/state-badge.tsx'
import { Elapsed } from '../../ui/time-text.tsx'
import { RunLink } from '../flow-runs/run-link.tsx'
import { QueryView } from '../query-view.tsx'

const rowsMax = 7
const runningFilter: FlowRunFilter = { state: { type: { any_: ['RUNNING', 'CANCELLING'] } } }

export function RunningNow() {
  const runs = useQuery(flowRunsQuery({ flow_runs: runningFilter, sort: 'START_TIME_DESC', limit: rowsMax }))
  const count = useQuery(flowRunCountQuery({ flow_runs: runningFilter }))
  return (
    <Panel
      title="Running now"
      aside={
        <Link to="/runs" search={{ state: ['Running'] }} className="link text-sm">
          {count.data === undefined ? 'All' : `All ${count.data.toLocaleString()}`}
        </Link>
      }
    >
      <QueryView query={runs} skeleton={<SkeletonRows rows={4} />} compact>
        {(found) =>
          found.length === 0 ? (
            <EmptyState compact title="No runs in progress" />
          ) : (
            <ul>
              {found.map((run) => (
                <RunningRow key={run.id} run={run} />
              ))}
            </ul>
          )
        }
      </QueryView>
    </Panel>
  )
}

function RunningRow({ run }: { readonly run: FlowRunResponse }) {
  return (
    <li className="flex flex-col gap-1.5 border-b border-line px-3.5 py-2 last:border-b-0">
      <div className="flex items-center gap-2.5">
        <StateIcon displayState={toDisplayState(run.state_type, run.state_name)} />
        <div className="min-w-0 flex-1">
          <RunLink run={run} />
        </div>
        {run.start_time && <Elapsed since={run.start_time} className="text-faint text-sm" />}
      </div>
      <TaskProgress id={run.id} />
    </li>
  )
}

const refetchSeconds = 3

/** Share of finished tasks so far. The total is unknown until the run ends. */
function TaskProgress({ id }: { readonly id: string }) {
  const { data } = useQuery({ ...taskRunStateCountsQuery({ flow_runs: { id: { any_: [id] } } }), refetchInterval: refetchSeconds * 1000 })
  if (!data) return <span className="h-1" />
  const total = Object.values(data).reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const failed = data.FAILED + data.CRASHED
  const share = (count: number) => `${(100 * count) / total}%`
  return (
    <div className="flex items-center gap-2.5 pl-6 text-faint text-sm">
      <div
        role="progressbar"
        aria-label="Task runs done"
        aria-valuenow={data.COMPLETED + failed}
        aria-valuemin={0}
        aria-valuemax={total}
        className="flex h-1 flex-1 gap-px overflow-hidden rounded-full bg-sunken"
      >
        <span style={{ width: share(data.COMPLETED), background: 'var(--completed-fill)' }} />
        <span style={{ width: share(failed), background: 'var(--failed-fill)' }} />
        <span style={{ width: share(data.RUNNING), background: 'var(--running-fill)' }} />
      </div>
      <span className="whitespace-nowrap">
        {(data.COMPLETED + failed).toLocaleString()} of {total.toLocaleString()} tasks
      </span>
    </div>
  )
}
