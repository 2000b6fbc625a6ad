import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

interface ConfirmDialogProps {
  readonly open: boolean
  readonly title: string
  /** Consequences of the action. */
  readonly description: ReactNode
  readonly confirmLabel: string
  /** Resolves to true on success. The dialog stays open otherwise. */
  onConfirm(): Promise<boolean>
  onClose(): void
  readonly children?: ReactNode
}

/** Confirms an action that cannot be undone. */
export function ConfirmDialog({ open, title, description: about, confirmLabel: action, onConfirm, onClose, children }: ConfirmDialogProps) {
  const [busy, setBusy] = useState(false)
  const confirm = async () => {
    setBusy(true)
    const done = await onConfirm()
    setBusy(false)
    if (done) onClose()
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" icon="trash" busy={busy} onClick={() => void confirm()}>
            {action}
          </Button>
        </>
      }
    >
      <div className="text-soft">{about}</div>
      {children}
    </Dialog>
  )
}
