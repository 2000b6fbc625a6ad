import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import { deleteBlock } from '../../api/blocks.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useAction } from '../use-action.ts'

interface DeleteBlockDialogProps {
  /** Undefined while closed. */
  readonly block: Pick<BlockDocument, 'id' | 'name'> | undefined
  onClose(): void
  /** Awaited before the queries refetch, so that the left page does not load a deleted block. */
  onDeleted(): unknown
}

/** Confirms the deletion of a block. */
export function DeleteBlockDialog({ block, onClose, onDeleted }: DeleteBlockDialogProps) {
  const { busy, attempt } = useAction('blocks')
  const remove = async () => {
    if (!block) return
    const isDone = await attempt(async () => {
      await deleteBlock(block.id)
      await onDeleted()
      return `Deleted ${block.name}`
    }, block.id)
    if (!isDone) onClose()
  }
  return (
    <Dialog
      open={block !== undefined}
      onClose={onClose}
      title={`Delete ${block?.name ?? ''}?`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" icon="trash" busy={busy} onClick={() => void remove()}>
            Delete
          </Button>
        </>
      }
    >
      <p>The block and its secrets are deleted permanently. Flows, workers and automations that load it will fail.</p>
    </Dialog>
  )
}
