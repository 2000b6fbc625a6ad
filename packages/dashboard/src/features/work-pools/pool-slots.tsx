import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { poolSlotsQuery } from '../../api/work-pools.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/page.tsx'
import { StateBadge } from '../../ui/state-badge.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { QueryView } from '../query-view.tsx'
import { SlotUsage } from './slot-usage.tsx'

/** Runs that hold slots of the pool, by queue. */
export function PoolSlots({ pool }: { readonly pool: WorkPoolResponse }) {
  const slots = useQuery(poolSlotsQuery(pool.name))
  return (
    <QueryView query={slots}>
      {({ queues, active_slots }) =>
        active_slots === 0 ? (
          <EmptyState title="No slots in use">A run uses a slot from when a worker picks it up until it ends.</EmptyState>
        ) : (
          <div className="flex flex-col gap-3">
            {queues
              .filter(({ active_slots: used }) => used > 0)
              .map((queue) => (
                <Panel key={queue.queue_id} title={queue.queue_name} aside={<SlotUsage used={queue.active_slots} limit={queue.concurrency_limit} />}>
                  <ul>
                    {queue.flow_runs.map((run) => (
                      <li key={run.id} className="flex h-9 items-center gap-3 border-b border-line px-3.5 last:border-b-0">
                        <span className="w-32">
                          <StateBadge type={run.state_type} name={run.state_name} />
                        </span>
                        <Link to="/runs/flow-run/$id" params={{ id: run.id }} className="quiet-link min-w-0 flex-1 truncate font-medium">
                          {run.name}
                        </Link>
                        <span className="text-faint text-sm">
                          since <TimeText time={run.state_timestamp} show="relative" />
                        </span>
                      </li>
                    ))}
                  </ul>
                  {(queue.flow_run_count ?? 0) > queue.flow_runs.length && (
                    <p className="px-3.5 py-2 text-faint">and {(queue.flow_run_count ?? 0) - queue.flow_runs.length} more</p>
                  )}
                </Panel>
              ))}
          </div>
        )
      }
    </QueryView>
  )
}
