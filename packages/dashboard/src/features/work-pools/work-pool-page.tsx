import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { setWorkPoolPaused, workPoolQuery } from '../../api/work-pools.ts'
import { poolQueuesQuery } from '../../api/work-queues.ts'
import { workersQuery } from '../../api/workers.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { workerCommand } from '../cli-commands.ts'
import { RunsTable } from '../flow-runs/runs-table.tsx'
import { useRunsFilter } from '../flow-runs/use-runs-filter.ts'
import { QueryView } from '../query-view.tsx'
import { useAction } from '../use-action.ts'
import { PoolConfiguration } from './pool-configuration.tsx'
import { PoolHealthBadge } from './pool-health-badge.tsx'
import { PoolMenu } from './pool-menu.tsx'
import { PoolRunCounts } from './pool-run-counts.tsx'
import { PoolSlots } from './pool-slots.tsx'
import type { PoolTab } from './pool-tabs.ts'
import { QueuesTable } from './queues-table.tsx'
import { SlotUsage } from './slot-usage.tsx'
import { WorkersTable } from './workers-table.tsx'

interface WorkPoolPageProps {
  readonly name: string
  readonly tab: PoolTab
  onTab(tab: PoolTab): void
}

export function WorkPoolPage({ name, tab, onTab }: WorkPoolPageProps) {
  const pool = useQuery(workPoolQuery(name))
  return (
    <Page
      title={name}
      crumbs={[{ label: 'Work pools', to: '/work-pools' }]}
      titleAside={
        pool.data && (
          <>
            <PoolHealthBadge pool={pool.data} />
            <SlotUsage used={pool.data.active_slots ?? 0} limit={pool.data.concurrency_limit} />
            <PoolRunCounts pool={name} />
          </>
        )
      }
      actions={pool.data && <PoolActions pool={pool.data} />}
      fill="wide"
    >
      <QueryView query={pool}>{(found) => <PoolPanels pool={found} tab={tab} onTab={onTab} />}</QueryView>
    </Page>
  )
}

function PoolActions({ pool }: { readonly pool: WorkPoolResponse }) {
  const navigate = useNavigate()
  const { busy, attempt } = useAction('work-pools', 'work-queues')
  const pause = () =>
    attempt(async () => {
      await setWorkPoolPaused(pool.name, !pool.is_paused)
      return pool.is_paused ? `${pool.name} resumed` : `${pool.name} paused`
    })
  return (
    <>
      <Button icon={pool.is_paused ? 'play' : 'pause'} busy={busy} onClick={() => void pause()}>
        {pool.is_paused ? 'Resume' : 'Pause'}
      </Button>
      <Link to="/work-pools/work-pool/$name/edit" params={{ name: pool.name }} className={buttonClass('plain')}>
        Edit
      </Link>
      <PoolMenu pool={pool} onDeleted={() => navigate({ to: '/work-pools' })} />
    </>
  )
}

function PoolPanels({ pool, tab, onTab }: { readonly pool: WorkPoolResponse; readonly tab: PoolTab; onTab(tab: PoolTab): void }) {
  const { name } = pool
  const queues = useQuery(poolQueuesQuery(name))
  const workers = useQuery(workersQuery(name))
  const runs = useRunsFilter({ pool: [name] })
  const upcoming = useRunsFilter({ pool: [name], state: ['Scheduled'], sort: 'soonest' })
  const listed = (children: ReactNode) => <div className="flex h-[60dvh] flex-col md:h-auto md:min-h-0 md:flex-1">{children}</div>
  const panels: Record<PoolTab, () => ReactNode> = {
    runs: () =>
      listed(
        <RunsTable
          filter={runs}
          empty={
            <EmptyState title="No runs yet" command={workerCommand(name)}>
              Start a worker and deploy a flow to this pool.
            </EmptyState>
          }
        />,
      ),
    upcoming: () => listed(<RunsTable filter={upcoming} sort="soonest" empty={<EmptyState title="No upcoming runs" />} />),
    slots: () => <PoolSlots pool={pool} />,
    queues: () => <QueryView query={queues}>{(found) => <QueuesTable pool={name} queues={found} />}</QueryView>,
    workers: () => <QueryView query={workers}>{(found) => <WorkersTable pool={name} workers={found} />}</QueryView>,
    configuration: () => <PoolConfiguration pool={pool} />,
  }
  return (
    <>
      {pool.description && <p className="pb-2 text-soft">{pool.description}</p>}
      <Tabs
        label="Work pool sections"
        value={tab}
        onChange={(next) => onTab(next as PoolTab)}
        tabs={[
          { value: 'runs', label: 'Runs' },
          { value: 'upcoming', label: 'Upcoming' },
          { value: 'slots', label: 'Slots', count: pool.active_slots ?? 0 },
          { value: 'queues', label: 'Queues', count: queues.data?.length },
          { value: 'workers', label: 'Workers', count: workers.data?.length },
          { value: 'configuration', label: 'Configuration' },
        ]}
      >
        {panels[tab]()}
      </Tabs>
    </>
  )
}
