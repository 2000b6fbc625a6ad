import type { GlobalConcurrencyLimitResponse } from '@millrace/contracts/global-concurrency-limit.ts'
import { useState } from 'react'
import { deleteLimit, deleteTagLimit, resetTagLimit, updateLimit } from '../../api/concurrency-limits.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { useAction } from '../use-action.ts'
import { LimitDialog } from './limit-dialog.tsx'
import { limitKindOf, tagOfLimit } from './limits-search.ts'

interface LimitMenuProps {
  readonly limit: GlobalConcurrencyLimitResponse
  /** Awaited, so that the page leaves before it requests the deleted object again. */
  onDeleted?(): unknown
}

export function LimitMenu({ limit, onDeleted }: LimitMenuProps) {
  const [asking, setAsking] = useState<'edit' | 'reset' | 'delete'>()
  const { attempt } = useAction('concurrency-limits', 'deployments')
  const kind = limitKindOf(limit)
  const limitName = kind === 'tag' ? `the limit on ${tagOfLimit(limit.name)}` : limit.name
  return (
    <>
      <Menu trigger={<Button icon="more" variant="quiet" aria-label={`Actions for ${limit.name}`} />}>
        <MenuItem icon="edit" onSelect={() => setAsking('edit')}>
          Edit…
        </MenuItem>
        <MenuItem icon="retry" onSelect={() => setAsking('reset')}>
          Release all slots…
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon="trash" danger onSelect={() => setAsking('delete')}>
          Delete…
        </MenuItem>
      </Menu>
      {asking === 'edit' && <LimitDialog limit={limit} kind={kind} onClose={() => setAsking(undefined)} />}
      <ConfirmDialog
        open={asking === 'reset'}
        title={`Release all slots of ${limitName}?`}
        description="Current holders keep running without a slot, and waiters start."
        confirmLabel="Release all slots"
        icon="retry"
        onConfirm={() =>
          attempt(async () => {
            await (kind === 'tag' ? resetTagLimit(tagOfLimit(limit.name)) : updateLimit(limit.id, { active_slots: 0 }))
            return `Released all slots of ${limitName}`
          })
        }
        onClose={() => setAsking(undefined)}
      />
      <ConfirmDialog
        open={asking === 'delete'}
        title={`Delete ${limitName}?`}
        description="Runs and tasks are no longer limited by it."
        confirmLabel="Delete limit"
        onConfirm={() =>
          attempt(async () => {
            await (kind === 'tag' ? deleteTagLimit(tagOfLimit(limit.name)) : deleteLimit(limit.id))
            await onDeleted?.()
            return `Deleted ${limitName}`
          }, limit.id)
        }
        onClose={() => setAsking(undefined)}
      />
    </>
  )
}
