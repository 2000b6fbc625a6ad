import type { Automation } from '@millrace/contracts/automation.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

interface DeleteAutomationDialogProps {
  /** Undefined while closed. */
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
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" icon="trash" onClick={onDelete}>
            Delete
          </Button>
        </>
      }
    >
      <p>The automation stops immediately and its counters are deleted. To stop it temporarily, pause it instead.</p>
    </Dialog>
  )
}
