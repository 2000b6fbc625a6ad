import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { workPoolsQuery } from '../../api/work-pools.ts'
import { workQueuesQuery } from '../../api/work-queues.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { Table } from '../../ui/table.tsx'
import { QueryView } from '../query-view.tsx'
import { PoolHealthBadge } from './pool-health-badge.tsx'
import { PoolMenu } from './pool-menu.tsx'
import { PoolPauseSwitch } from './pool-pause-switch.tsx'
import { PoolRunCounts } from './pool-run-counts.tsx'
import { SlotUsage } from './slot-usage.tsx'

interface WorkPoolsPageProps {
  readonly name: string
  onName(name: string): void
}

export function WorkPoolsPage({ name, onName }: WorkPoolsPageProps) {
  const pools = useQuery(workPoolsQuery())
  const create = (
    <Link to="/work-pools/create" className={buttonClass('primary')}>
      <Icon name="plus" size={15} />
      New work pool
    </Link>
  )
  return (
    <Page title="Work pools" titleAside={pools.data && <span className="text-faint">{pools.data.length.toLocaleString()}</span>} actions={create}>
      <QueryView query={pools}>
        {(found) => {
          if (found.length === 0) {
            return (
              <EmptyState title="No work pools yet" command="prefect work-pool create my-pool --type process">
                A work pool assigns runs to its workers.
              </EmptyState>
            )
          }
          const shown = found.filter((pool) => pool.name.toLowerCase().includes(name.toLowerCase()))
          return (
            <>
              <div className="flex pb-3">
                <SearchBox label="Filter by name" placeholder="Name" shortcut="/" value={name} onChange={onName} />
              </div>
              {shown.length === 0 ? (
                <EmptyState title="No results">Clear the filter to see all work pools.</EmptyState>
              ) : (
                <PoolsTable pools={shown} />
              )}
            </>
          )
        }}
      </QueryView>
    </Page>
  )
}

function PoolsTable({ pools }: { readonly pools: readonly WorkPoolResponse[] }) {
  const queues = useQuery(workQueuesQuery())
  const byPool = Map.groupBy(queues.data ?? [], (queue) => queue.work_pool_name)
  return (
    <Table
      label="Work pools"
      rows={pools}
      rowKey={({ id }) => id}
      columns={[
        {
          header: 'Name',
          cell: ({ name }) => (
            <Link to="/work-pools/work-pool/$name" params={{ name }} className="quiet-link font-medium">
              {name}
            </Link>
          ),
          className: 'min-w-28',
        },
        { header: 'Type', cell: ({ type }) => <span className="text-soft">{type}</span>, className: 'hidden md:table-cell' },
        { header: 'Health', cell: (pool) => <PoolHealthBadge pool={pool} /> },
        {
          header: 'Late, pending, running',
          cell: ({ name }) => <PoolRunCounts pool={name} />,
          className: 'hidden sm:table-cell',
        },
        {
          header: 'Slots',
          cell: (pool) => <SlotUsage used={pool.active_slots ?? 0} limit={pool.concurrency_limit} />,
          className: 'hidden sm:table-cell',
        },
        {
          header: 'Queues',
          cell: ({ name }) => <span className="text-soft">{byPool.get(name)?.length ?? ''}</span>,
          className: 'hidden lg:table-cell',
          alignEnd: true,
        },
        { header: 'Enabled', cell: (pool) => <PoolPauseSwitch pool={pool} />, className: 'hidden sm:table-cell', alignEnd: true },
        { header: '', cell: (pool) => <PoolMenu pool={pool} />, className: 'w-10 px-1', alignEnd: true },
      ]}
    />
  )
}
