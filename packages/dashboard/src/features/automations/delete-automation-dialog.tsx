import type { Automation } from '@millrace/contracts/automation.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

interface DeleteAutomationDialogProps {
  /** Undefined while nobody wants to. */
  readonly automation: Pick<Automation, 'id' | 'name'> | undefined
  onClose(): void
  onDelete(): void
}

export function DeleteAutomationDialog({ automation, onClose, onDelete }: DeleteAutomationDialogProps) {
  return (
    <Dialog
      open={automation !== undefined}
      onClose={onClose}
      title={`Delete ${automation?.name ?? ''}?`}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button variant="danger" icon="trash" onClick={onDelete}>
            Delete
          </Button>
        </>
      }
    >
      <p>It stops at once, and what it was counting is forgotten. Switched off, it could be switched on again.</p>
    </Dialog>
  )
}
