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
  /** Waited for: a page that is left does not ask for what is gone. */
  onDeleted?(): unknown
}

export function LimitMenu({ limit, onDeleted }: LimitMenuProps) {
  const [asking, setAsking] = useState<'edit' | 'reset' | 'delete'>()
  const { attempt } = useAction('concurrency-limits', 'deployments')
  const kind = limitKindOf(limit)
  const word = kind === 'tag' ? `the limit on ${tagOfLimit(limit.name)}` : limit.name
  return (
    <>
      <Menu trigger={<Button icon="more" variant="quiet" aria-label={`More on ${limit.name}`} />}>
        <MenuItem icon="edit" onSelect={() => setAsking('edit')}>
          Edit…
        </MenuItem>
        <MenuItem icon="retry" onSelect={() => setAsking('reset')}>
          Free all slots…
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon="trash" danger onSelect={() => setAsking('delete')}>
          Delete…
        </MenuItem>
      </Menu>
      {asking === 'edit' && <LimitDialog limit={limit} kind={kind} onClose={() => setAsking(undefined)} />}
      <ConfirmDialog
        open={asking === 'reset'}
        title={`Free all slots of ${word}?`}
        description="Whoever holds one goes on without it, and as many others get in beside them."
        confirmLabel="Free all slots"
        icon="retry"
        onConfirm={() =>
          attempt(async () => {
            await (kind === 'tag' ? resetTagLimit(tagOfLimit(limit.name)) : updateLimit(limit.id, { active_slots: 0 }))
            return `All slots of ${word} are free`
          })
        }
        onClose={() => setAsking(undefined)}
      />
      <ConfirmDialog
        open={asking === 'delete'}
        title={`Delete ${word}?`}
        description="Nothing is limited by it any more."
        confirmLabel="Delete the limit"
        onConfirm={() =>
          attempt(async () => {
            await (kind === 'tag' ? deleteTagLimit(tagOfLimit(limit.name)) : deleteLimit(limit.id))
            await onDeleted?.()
            return `Deleted ${word}`
          }, limit.id)
        }
        onClose={() => setAsking(undefined)}
      />
    </>
  )
}
