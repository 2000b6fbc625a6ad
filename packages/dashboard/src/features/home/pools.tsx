import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { workPoolsQuery } from '../../api/work-pools.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { QueryView } from '../query-view.tsx'
import { PoolHealthBadge } from '../work-pools/pool-health-badge.tsx'
import { SlotUsage } from '../work-pools/slot-usage.tsx'

const rowsMax = 8

export function Pools() {
  const pools = useQuery(workPoolsQuery({ limit: rowsMax }))
  return (
    <Panel
      title="Work pools"
      aside={
        <Link to="/work-pools" className="link text-sm">
          All
        </Link>
      }
    >
      <QueryView query={pools} skeleton={<SkeletonRows rows={3} />} compact>
        {(found) =>
          found.length === 0 ? (
            <EmptyState compact title="No work pools yet" command="prefect work-pool create my-pool --type process">
              Work pools assign runs to workers. Deployments served by their own process do not need one.
            </EmptyState>
          ) : (
            <ul>
              {found.map((pool) => (
                <li key={pool.id} className="flex min-h-9 items-center gap-3 border-b border-line px-3.5 py-1 last:border-b-0">
                  <Link to="/work-pools/work-pool/$name" params={{ name: pool.name }} className="quiet-link min-w-0 flex-1 truncate font-medium">
                    {pool.name}
                  </Link>
                  <SlotUsage used={pool.active_slots ?? 0} limit={pool.concurrency_limit} />
                  <span className="flex w-34 items-center text-sm">
                    <PoolHealthBadge pool={pool} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </Panel>
  )
}
