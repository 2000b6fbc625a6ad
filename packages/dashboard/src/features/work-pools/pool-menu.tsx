import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteWorkPool } from '../../api/work-pools.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { showToast } from '../../ui/toast.tsx'
import { CreateAutomationItem } from '../automations/create-automation-item.tsx'
import { workerCommand } from '../cli-commands.ts'
import { useAction } from '../use-action.ts'

interface PoolMenuProps {
  readonly pool: WorkPoolResponse
  /** Awaited, so that the page leaves before it requests the deleted object again. */
  onDeleted?(): unknown
}

export function PoolMenu({ pool, onDeleted }: PoolMenuProps) {
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const { attempt } = useAction('work-pools', 'work-queues', 'deployments')
  const copy = async () => {
    await copyText(workerCommand(pool.name))
    showToast('Command copied')
  }
  return (
    <>
      <Menu trigger={<Button icon="more" variant="quiet" aria-label={`Actions for ${pool.name}`} />}>
        <MenuItem icon="edit" onSelect={() => void navigate({ to: '/work-pools/work-pool/$name/edit', params: { name: pool.name } })}>
          Edit
        </MenuItem>
        <MenuItem icon="copy" onSelect={() => void copy()}>
          Copy worker command
        </MenuItem>
        <CreateAutomationItem kind="work-pool" id={pool.id} />
        <MenuSeparator />
        <MenuItem icon="trash" danger onSelect={() => setDeleting(true)}>
          Delete…
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={deleting}
        title={`Delete ${pool.name}?`}
        description="This also deletes its queues and workers. Deployments and runs in this pool wait until they are moved to another pool."
        confirmLabel="Delete work pool"
        onConfirm={() =>
          attempt(async () => {
            await deleteWorkPool(pool.name)
            await onDeleted?.()
            return `Deleted ${pool.name}`
          }, pool.name)
        }
        onClose={() => setDeleting(false)}
      />
    </>
  )
}
