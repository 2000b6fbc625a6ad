import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteWorkPool } from '../../api/work-pools.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { say } from '../../ui/toast.tsx'
import { AutomateItem } from '../automations/automate-item.tsx'
import { useDeed } from '../use-deed.ts'
import { workerCommand } from './worker-command.ts'

interface PoolMenuProps {
  readonly pool: WorkPoolResponse
  /** Waited for: a page that is left does not ask for what is gone. */
  onDeleted?(): unknown
}

export function PoolMenu({ pool, onDeleted }: PoolMenuProps) {
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const { attempt } = useDeed('work-pools', 'work-queues', 'deployments')
  const copy = async () => {
    await copyText(workerCommand(pool.name))
    say('Copied the command')
  }
  return (
    <>
      <Menu trigger={<Button icon="more" look="quiet" aria-label={`More on ${pool.name}`} />}>
        <MenuItem icon="settings" onSelect={() => void navigate({ to: '/work-pools/work-pool/$name/edit', params: { name: pool.name } })}>
          Edit
        </MenuItem>
        <MenuItem icon="copy" onSelect={() => void copy()}>
          Copy the command for a worker
        </MenuItem>
        <AutomateItem kind="work-pool" id={pool.id} />
        <MenuLine />
        <MenuItem icon="trash" danger onSelect={() => setDeleting(true)}>
          Delete…
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={deleting}
        title={`Delete ${pool.name}?`}
        about="Its queues and workers go with it. Deployments and runs that were to run here wait until they are given another pool."
        action="Delete the pool"
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
