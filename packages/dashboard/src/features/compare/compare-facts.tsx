import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Panel } from '../../ui/page.tsx'
import { StateBadge } from '../../ui/state-badge.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { Duration, TimeText } from '../../ui/time-text.tsx'
import { DeploymentName } from '../flow-runs/filter-chips.tsx'
import { FlowName } from '../flow-runs/run-link.tsx'
import { ChangeText, CompareGrid, type CompareRow } from './compare-grid.tsx'

/** Facts of both runs: origin, times and durations. */
export function CompareFacts({ a, b }: { readonly a: FlowRunResponse; readonly b: FlowRunResponse }) {
  const row = (name: string, of: (run: FlowRunResponse) => ReactNode, key?: (run: FlowRunResponse) => unknown): CompareRow => ({
    key: name,
    name,
    a: of(a),
    b: of(b),
    differs: key !== undefined && JSON.stringify(key(a)) !== JSON.stringify(key(b)),
  })
  const none = <span className="text-faint">–</span>
  return (
    <Panel title="Runs">
      <CompareGrid
        label="Runs"
        names={[a.name, b.name]}
        rows={[
          row(
            'Flow',
            (run) => <FlowName id={run.flow_id} />,
            (run) => run.flow_id,
          ),
          row('Run', (run) => (
            <Link to="/runs/flow-run/$id" params={{ id: run.id }} className="quiet-link font-medium">
              {run.name}
            </Link>
          )),
          row(
            'State',
            (run) => <StateBadge type={run.state_type} name={run.state_name} />,
            (run) => run.state_name,
          ),
          row(
            'Deployment',
            (run) => (run.deployment_id ? <DeploymentName id={run.deployment_id} /> : none),
            (run) => run.deployment_id,
          ),
          row(
            'Work pool',
            (run) => run.work_pool_name ?? none,
            (run) => run.work_pool_name,
          ),
          row(
            'Version',
            (run) => run.flow_version ?? none,
            (run) => run.flow_version,
          ),
          row(
            'Tags',
            (run) => (run.tags.length > 0 ? <TagList tags={run.tags} limit={8} /> : none),
            (run) => [...run.tags].sort(),
          ),
          row(
            'Attempts',
            (run) => run.run_count,
            (run) => run.run_count,
          ),
          row('Started', (run) => <TimeText time={run.start_time} show="full" className="whitespace-normal!" />),
          {
            ...row('Waited', (run) => <Duration seconds={run.estimated_start_time_delta} />),
            change: <ChangeText a={a.estimated_start_time_delta} b={b.estimated_start_time_delta} />,
          },
          {
            ...row('Took', (run) => <Duration seconds={run.estimated_run_time} />),
            change: <ChangeText a={a.estimated_run_time} b={b.estimated_run_time} />,
          },
        ]}
      />
    </Panel>
  )
}
