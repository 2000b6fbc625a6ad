import type { WorkerResponse } from '@millrace/contracts/worker.ts'
import { useState } from 'react'
import { deleteWorker } from '../../api/workers.ts'
import { IconButton } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Table } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { workerCommand } from '../cli-commands.ts'
import { useAction } from '../use-action.ts'

/** Workers of a pool and their last heartbeats. */
export function WorkersTable({ pool, workers }: { readonly pool: string; readonly workers: readonly WorkerResponse[] }) {
  const [deleting, setDeleting] = useState<WorkerResponse>()
  const { attempt } = useAction('workers', 'work-pools')
  if (workers.length === 0) {
    return (
      <EmptyState title="No workers yet" command={workerCommand(pool)}>
        Workers poll the pool and start its runs.
      </EmptyState>
    )
  }
  return (
    <div className="flex flex-col gap-3">
      <Table
        label="Workers"
        rows={workers}
        rowKey={({ id }) => id}
        columns={[
          { header: 'Worker', cell: (worker) => <span className="font-medium">{worker.name}</span> },
          { header: 'Status', cell: ({ status }) => <WorkerStatus status={status} /> },
          {
            header: 'Last heartbeat',
            cell: ({ last_heartbeat_time }) => <TimeText time={last_heartbeat_time} show="relative" className="text-soft" />,
          },
          {
            header: 'Heartbeat interval',
            cell: ({ heartbeat_interval_seconds: seconds }) => <span className="text-soft">{seconds === null ? '–' : `${seconds} s`}</span>,
            className: 'hidden sm:table-cell',
          },
          {
            header: '',
            cell: (worker) =>
              worker.status === 'OFFLINE' && <IconButton icon="trash" label={`Delete ${worker.name}`} onClick={() => setDeleting(worker)} />,
            className: 'w-10 px-1',
            alignEnd: true,
          },
        ]}
      />
      <CodeBlock code={workerCommand(pool)} className="max-w-xl" />
      <ConfirmDialog
        open={deleting !== undefined}
        title={`Delete ${deleting?.name ?? ''}?`}
        description="The worker is offline. It is listed again if it reconnects."
        confirmLabel="Delete worker"
        onConfirm={() =>
          attempt(async () => {
            if (deleting) await deleteWorker(pool, deleting.name)
            return `Deleted ${deleting?.name ?? ''}`
          })
        }
        onClose={() => setDeleting(undefined)}
      />
    </div>
  )
}

function WorkerStatus({ status }: { readonly status: WorkerResponse['status'] }) {
  const online = status === 'ONLINE'
  return (
    <span className={`inline-flex items-center gap-1.5 font-medium ${online ? 'text-good' : 'text-danger'}`}>
      <Icon name={online ? 'check' : 'warning'} size={14} />
      {online ? 'Online' : 'Offline'}
    </span>
  )
}
