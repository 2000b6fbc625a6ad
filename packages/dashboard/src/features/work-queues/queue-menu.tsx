import type { WorkQueueResponse } from '@millrace/contracts/work-queue.ts'
import { useState } from 'react'
import { deleteQueue } from '../../api/work-queues.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { showToast } from '../../ui/toast.tsx'
import { CreateAutomationItem } from '../automations/create-automation-item.tsx'
import { workerCommand } from '../cli-commands.ts'
import { useAction } from '../use-action.ts'
import { QueueDialog } from './queue-dialog.tsx'

interface QueueMenuProps {
  readonly pool: string
  readonly queue: WorkQueueResponse
  /** Awaited, so that the page leaves before it requests the deleted object again. */
  onDeleted?(): unknown
  onRenamed?(name: string): unknown
}

export function QueueMenu({ pool, queue, onDeleted, onRenamed }: QueueMenuProps) {
  const [editing, setEditing] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const { attempt } = useAction('work-queues', 'work-pools', 'deployments')
  const copy = async () => {
    await copyText(workerCommand(pool, queue.name))
    showToast('Command copied')
  }
  return (
    <>
      <Menu trigger={<Button icon="more" variant="quiet" aria-label={`Actions for ${queue.name}`} />}>
        <MenuItem icon="edit" onSelect={() => setEditing(true)}>
          Edit…
        </MenuItem>
        <MenuItem icon="copy" onSelect={() => void copy()}>
          Copy worker command
        </MenuItem>
        <CreateAutomationItem kind="work-queue" id={queue.id} />
        {queue.name !== 'default' && (
          <>
            <MenuSeparator />
            <MenuItem icon="trash" danger onSelect={() => setDeleting(true)}>
              Delete…
            </MenuItem>
          </>
        )}
      </Menu>
      {editing && <QueueDialog pool={pool} queue={queue} onClose={() => setEditing(false)} {...(onRenamed && { onRenamed })} />}
      <ConfirmDialog
        open={deleting}
        title={`Delete ${queue.name}?`}
        description="Runs in this queue wait until the queue is recreated or they are moved to another queue."
        confirmLabel="Delete queue"
        onConfirm={() =>
          attempt(async () => {
            await deleteQueue(pool, queue.name)
            await onDeleted?.()
            return `Deleted ${queue.name}`
          }, queue.name)
        }
        onClose={() => setDeleting(false)}
      />
    </>
  )
}
