import type { WorkQueueResponse } from '@millrace/contracts/work-queue.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { updateQueue } from '../../api/work-queues.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Table } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { useAction } from '../use-action.ts'
import { QueueDialog } from '../work-queues/queue-dialog.tsx'
import { QueueMenu } from '../work-queues/queue-menu.tsx'
import { QueuePauseSwitch } from '../work-queues/queue-pause-switch.tsx'
import { QueueStatus } from '../work-queues/queue-status.tsx'
import { SlotUsage } from './slot-usage.tsx'

/** Queues of a pool by priority. */
export function QueuesTable({ pool, queues }: { readonly pool: string; readonly queues: readonly WorkQueueResponse[] }) {
  const [creating, setCreating] = useState(false)
  const { busy, attempt } = useAction('work-queues')
  const ordered = queues.toSorted((a, b) => a.priority - b.priority || a.name.localeCompare(b.name))
  const move = (from: number, to: number) =>
    void attempt(async () => {
      const [queue, other] = [ordered[from], ordered[to]]
      if (!queue || !other) return undefined
      // A queue whose priority is taken moves down by one, so the lower queue always receives the higher priority.
      const [lower, upper] = to < from ? [queue, other] : [other, queue]
      await updateQueue(pool, lower.name, { priority: upper.priority })
      return `${queue.name} moved ${to < from ? 'before' : 'after'} ${other.name}`
    })
  return (
    <div className="flex flex-col gap-3">
      <Table
        label="Queues"
        rows={ordered.map((queue, position) => ({ queue, position }))}
        rowKey={({ queue }) => queue.id}
        columns={[
          {
            header: 'Priority',
            cell: ({ queue, position }) => (
              <span className="flex items-center">
                <span className="w-6 text-soft">{queue.priority}</span>
                <IconButton
                  icon="up"
                  label={`Move ${queue.name} up`}
                  disabled={busy || position === 0}
                  onClick={() => move(position, position - 1)}
                />
                <IconButton
                  icon="down"
                  label={`Move ${queue.name} down`}
                  disabled={busy || position === ordered.length - 1}
                  onClick={() => move(position, position + 1)}
                />
              </span>
            ),
            className: 'w-32',
          },
          {
            header: 'Queue',
            cell: ({ queue }) => (
              <Link to="/work-pools/work-pool/$name/queue/$queue" params={{ name: pool, queue: queue.name }} className="quiet-link font-medium">
                {queue.name}
              </Link>
            ),
          },
          { header: 'Status', cell: ({ queue }) => <QueueStatus queue={queue} />, className: 'hidden sm:table-cell' },
          {
            header: 'Slots',
            cell: ({ queue }) => <SlotUsage used={queue.active_slots ?? 0} limit={queue.concurrency_limit} />,
            className: 'hidden sm:table-cell',
          },
          {
            header: 'Last polled',
            cell: ({ queue }) => <TimeText time={queue.last_polled} show="relative" className="text-soft" />,
            className: 'hidden md:table-cell',
          },
          { header: 'Enabled', cell: ({ queue }) => <QueuePauseSwitch pool={pool} queue={queue} />, alignEnd: true },
          { header: '', cell: ({ queue }) => <QueueMenu pool={pool} queue={queue} />, className: 'w-10 px-1', alignEnd: true },
        ]}
      />
      <div>
        <Button icon="plus" onClick={() => setCreating(true)}>
          New queue
        </Button>
      </div>
      {creating && <QueueDialog pool={pool} onClose={() => setCreating(false)} />}
    </div>
  )
}
