import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { workPoolsQuery } from '../../api/work-pools.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ListPage } from '../list-page.tsx'
import { PoolHealthBadge } from './pool-health-badge.tsx'
import { Slots } from './slots.tsx'

export function WorkPoolsPage() {
  return (
    <ListPage
      title="Work pools"
      query={useQuery(workPoolsQuery())}
      rowKey={({ id }) => id}
      columns={[
        {
          header: 'Name',
          cell: ({ name }) => (
            <Link to="/work-pools/work-pool/$name" params={{ name }} className="quiet-link font-medium">
              {name}
            </Link>
          ),
        },
        { header: 'Type', cell: ({ type }) => <span className="text-soft">{type}</span>, className: 'hidden md:table-cell' },
        { header: 'Slots', cell: (pool) => <Slots used={pool.active_slots ?? 0} limit={pool.concurrency_limit} /> },
        { header: 'Health', cell: (pool) => <PoolHealthBadge pool={pool} /> },
      ]}
      empty={
        <EmptyState title="No work pools" command="prefect work-pool create my-pool --type process">
          A pool hands runs to its workers, on whatever they run.
        </EmptyState>
      }
    />
  )
}
