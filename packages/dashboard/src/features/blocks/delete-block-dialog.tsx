import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteBlock } from '../../api/blocks.ts'
import { describeError } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { say } from '../../ui/toast.tsx'

interface DeleteBlockDialogProps {
  /** Undefined while nobody wants to. */
  readonly block: Pick<BlockDocument, 'id' | 'name'> | undefined
  onClose(): void
  onDeleted(): void
}

/** Asks first: what a block holds cannot be had back. */
export function DeleteBlockDialog({ block, onClose, onDeleted }: DeleteBlockDialogProps) {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const remove = async () => {
    if (!block) return
    setBusy(true)
    try {
      await deleteBlock(block.id)
      say(`Deleted ${block.name}`)
      onDeleted()
      await queryClient.invalidateQueries({ queryKey: ['blocks'] })
    } catch (error) {
      const { title, detail } = describeError(error)
      say(title, { tone: 'bad', ...(detail && { detail }) })
      onClose()
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      open={block !== undefined}
      onClose={onClose}
      title={`Delete ${block?.name ?? ''}?`}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" icon="trash" busy={busy} onClick={() => void remove()}>
            Delete
          </Button>
        </>
      }
    >
      <p>Its secrets are gone for good. Flows, workers and automations that load it will fail.</p>
    </Dialog>
  )
}
