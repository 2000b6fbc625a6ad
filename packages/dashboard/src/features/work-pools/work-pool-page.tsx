import { useQuery } from '@tanstack/react-query'
import { workPoolQuery } from '../../api/work-pools.ts'
import { poolQueuesQuery } from '../../api/work-queues.ts'
import { workersQuery } from '../../api/workers.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { RunsTable } from '../flow-runs/runs-table.tsx'
import { useRunsFilter } from '../flow-runs/use-runs-filter.ts'
import { QueryView } from '../query-view.tsx'
import { PoolHealthBadge } from './pool-health-badge.tsx'
import { Slots } from './slots.tsx'

export function WorkPoolPage({ name }: { readonly name: string }) {
  const pool = useQuery(workPoolQuery(name))
  const queues = useQuery(poolQueuesQuery(name))
  const workers = useQuery(workersQuery(name))
  const runs = useRunsFilter({ pool: [name] })
  return (
    <Page title={name} crumbs={[{ label: 'Work pools', to: '/work-pools' }]} beside={pool.data && <PoolHealthBadge pool={pool.data} />}>
      <QueryView query={pool}>
        {(found) => (
          <div className="flex flex-col gap-4">
            {found.description && <p className="text-soft">{found.description}</p>}
            <div className="grid items-start gap-4 lg:grid-cols-2">
              <QueryView query={queues}>
                {(rows) => (
                  <Table
                    label="Queues"
                    rows={rows}
                    rowKey={({ id }) => id}
                    columns={[
                      { header: 'Queue', cell: (queue) => <span className="font-medium">{queue.name}</span> },
                      { header: 'Priority', cell: ({ priority }) => priority },
                      { header: 'Slots', cell: (queue) => <Slots used={queue.active_slots ?? 0} limit={queue.concurrency_limit} /> },
                      { header: 'Polled', cell: ({ last_polled }) => <TimeText time={last_polled} show="relative" />, end: true },
                    ]}
                  />
                )}
              </QueryView>
              <QueryView query={workers}>
                {(rows) =>
                  rows.length === 0 ? (
                    <Panel title="Workers">
                      <EmptyState compact title="No worker yet" command={`prefect worker start --pool '${name}'`} />
                    </Panel>
                  ) : (
                    <Table
                      label="Workers"
                      rows={rows}
                      rowKey={({ id }) => id}
                      columns={[
                        { header: 'Worker', cell: (worker) => <span className="font-medium">{worker.name}</span> },
                        { header: 'Status', cell: ({ status }) => (status === 'ONLINE' ? 'Online' : 'Offline') },
                        {
                          header: 'Heard from',
                          cell: ({ last_heartbeat_time }) => <TimeText time={last_heartbeat_time} show="relative" />,
                          end: true,
                        },
                      ]}
                    />
                  )
                }
              </QueryView>
            </div>
            <div className="flex h-[60dvh] flex-col">
              <RunsTable filter={runs} empty={<EmptyState title="No runs in this pool" />} />
            </div>
          </div>
        )}
      </QueryView>
    </Page>
  )
}
