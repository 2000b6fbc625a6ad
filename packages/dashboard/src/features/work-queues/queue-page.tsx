import type { WorkQueueResponse } from '@millrace/contracts/work-queue.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { poolQueueQuery, updateQueue } from '../../api/work-queues.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { workerCommand } from '../cli-commands.ts'
import { RunsTable } from '../flow-runs/runs-table.tsx'
import { useRunsFilter } from '../flow-runs/use-runs-filter.ts'
import { QueryView } from '../query-view.tsx'
import { useAction } from '../use-action.ts'
import type { QueueTab } from '../work-pools/pool-tabs.ts'
import { SlotUsage } from '../work-pools/slot-usage.tsx'
import { QueueDialog } from './queue-dialog.tsx'
import { QueueMenu } from './queue-menu.tsx'
import { QueueStatus } from './queue-status.tsx'

interface QueuePageProps {
  readonly pool: string
  readonly name: string
  readonly tab: QueueTab
  /** Opens the edit dialog. Old URLs use it. */
  readonly editing?: boolean
  onTab(tab: QueueTab): void
}

export function QueuePage({ pool, name, tab, editing = false, onTab }: QueuePageProps) {
  const queue = useQuery(poolQueueQuery(pool, name))
  const navigate = useNavigate()
  const open = (next: string) => navigate({ to: '/work-pools/work-pool/$name/queue/$queue', params: { name: pool, queue: next } })
  return (
    <Page
      title={name}
      crumbs={[
        { label: 'Work pools', to: '/work-pools' },
        { label: pool, to: `/work-pools/work-pool/${encodeURIComponent(pool)}` },
      ]}
      titleAside={
        queue.data && (
          <>
            <QueueStatus queue={queue.data} />
            <SlotUsage used={queue.data.active_slots ?? 0} limit={queue.data.concurrency_limit} />
            <span className="text-faint">priority {queue.data.priority}</span>
          </>
        )
      }
      actions={
        queue.data && (
          <>
            <PauseQueue pool={pool} queue={queue.data} />
            <QueueMenu
              pool={pool}
              queue={queue.data}
              onRenamed={open}
              onDeleted={() => navigate({ to: '/work-pools/work-pool/$name', params: { name: pool }, search: { tab: 'queues' } })}
            />
          </>
        )
      }
      fill="wide"
    >
      <QueryView query={queue}>
        {(found) => (
          <>
            <QueuePanels pool={pool} queue={found} tab={tab} onTab={onTab} />
            {editing && <QueueDialog pool={pool} queue={found} onClose={() => void open(found.name)} onRenamed={open} />}
          </>
        )}
      </QueryView>
    </Page>
  )
}

function PauseQueue({ pool, queue }: { readonly pool: string; readonly queue: WorkQueueResponse }) {
  const { busy, attempt } = useAction('work-queues')
  const pause = () =>
    attempt(async () => {
      await updateQueue(pool, queue.name, { is_paused: !queue.is_paused })
      return queue.is_paused ? `${queue.name} resumed` : `${queue.name} paused`
    })
  return (
    <Button icon={queue.is_paused ? 'play' : 'pause'} busy={busy} onClick={() => void pause()}>
      {queue.is_paused ? 'Resume' : 'Pause'}
    </Button>
  )
}

interface QueuePanelsProps {
  readonly pool: string
  readonly queue: WorkQueueResponse
  readonly tab: QueueTab
  onTab(tab: QueueTab): void
}

function QueuePanels({ pool, queue, tab, onTab }: QueuePanelsProps) {
  // Filters by ID: runs without a queue name are in the default queue.
  const of = { work_pool_queues: { id: { any_: [queue.id] } } }
  const runs = { ...useRunsFilter({}), ...of }
  const upcoming = { ...useRunsFilter({ state: ['Scheduled'], sort: 'soonest' }), ...of }
  const listed = (children: ReactNode) => <div className="flex h-[60dvh] flex-col md:h-auto md:min-h-0 md:flex-1">{children}</div>
  const panels: Record<QueueTab, () => ReactNode> = {
    runs: () =>
      listed(
        <RunsTable
          filter={runs}
          empty={
            <EmptyState title="No runs yet" command={workerCommand(pool, queue.name)}>
              Assign a deployment to this queue and start a worker.
            </EmptyState>
          }
        />,
      ),
    upcoming: () => listed(<RunsTable filter={upcoming} sort="soonest" empty={<EmptyState title="No upcoming runs" />} />),
    details: () => (
      <div className="flex max-w-xl flex-col gap-4">
        <Facts
          facts={[
            { name: 'Description', value: queue.description },
            { name: 'Priority', value: queue.priority },
            { name: 'Concurrency limit', value: queue.concurrency_limit ?? 'none' },
            { name: 'Last polled', value: <TimeText time={queue.last_polled} show="full" /> },
            { name: 'Created', value: <TimeText time={queue.created} show="full" /> },
          ]}
        />
        <CodeBlock code={workerCommand(pool, queue.name)} />
      </div>
    ),
  }
  return (
    <Tabs
      label="Work queue sections"
      value={tab}
      onChange={(next) => onTab(next as QueueTab)}
      tabs={[
        { value: 'runs', label: 'Runs' },
        { value: 'upcoming', label: 'Upcoming' },
        { value: 'details', label: 'Details' },
      ]}
    >
      {panels[tab]()}
    </Tabs>
  )
}
