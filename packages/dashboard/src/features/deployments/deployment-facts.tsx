import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { Link } from '@tanstack/react-router'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { FlowName } from '../flow-runs/run-link.tsx'
import { SlotUsage } from '../work-pools/slot-usage.tsx'
import { formatSchedule } from './format-schedule.ts'

/** Infrastructure, schedules and concurrency of a deployment. */
export function DeploymentFacts({ deployment }: { readonly deployment: DeploymentResponse }) {
  const { work_pool_name: pool, work_queue_name: queue, global_concurrency_limit: limit, concurrency_options: options } = deployment
  return (
    <Facts
      facts={[
        {
          name: 'Flow',
          value: (
            <Link to="/flows/flow/$id" params={{ id: deployment.flow_id }} className="link">
              <FlowName id={deployment.flow_id} />
            </Link>
          ),
        },
        pool !== null && {
          name: 'Work pool',
          value: (
            <Link to="/work-pools/work-pool/$name" params={{ name: pool }} className="link">
              {pool}
            </Link>
          ),
        },
        pool !== null &&
          queue !== null && {
            name: 'Queue',
            value: (
              <Link to="/work-pools/work-pool/$name/queue/$queue" params={{ name: pool, queue }} className="link">
                {queue}
              </Link>
            ),
          },
        {
          name: 'Schedules',
          value:
            deployment.schedules.length === 0
              ? 'none'
              : deployment.schedules.map(({ id, schedule, active }) => (
                  <p key={id} className={active ? undefined : 'text-faint line-through'}>
                    {formatSchedule(schedule)}
                  </p>
                )),
        },
        limit !== null && {
          name: 'Concurrency',
          value: (
            <Link to="/concurrency-limits/concurrency-limit/$id" params={{ id: limit.id }} className="quiet-link">
              <SlotUsage used={limit.active_slots} limit={limit.limit} />
            </Link>
          ),
        },
        limit !== null && {
          name: 'At the limit',
          value: options?.collision_strategy === 'CANCEL_NEW' ? 'new runs are cancelled' : 'new runs wait',
        },
        options?.grace_period_seconds != null && { name: 'Grace period', value: `${options.grace_period_seconds} s` },
        deployment.tags.length > 0 && { name: 'Tags', value: <TagList tags={deployment.tags} limit={12} /> },
        { name: 'Last polled', value: <TimeText time={deployment.last_polled} show="relative" /> },
        { name: 'Created', value: <TimeText time={deployment.created} show="relative" /> },
        { name: 'Updated', value: <TimeText time={deployment.updated} show="relative" /> },
        deployment.created_by && { name: 'Created by', value: deployment.created_by.display_value ?? deployment.created_by.type },
        {
          name: 'ID',
          value: (
            <span className="flex items-center gap-1">
              <code className="truncate font-mono text-sm" title={deployment.id}>
                {deployment.id}
              </code>
              <CopyButton text={deployment.id} label="Copy ID" />
            </span>
          ),
        },
      ]}
    />
  )
}
