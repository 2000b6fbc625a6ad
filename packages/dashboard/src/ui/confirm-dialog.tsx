import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

interface ConfirmDialogProps {
  readonly open: boolean
  /** Names the thing. */
  readonly title: string
  /** What goes with it. */
  readonly description: ReactNode
  /** What the button does, in a word. */
  readonly confirmLabel: string
  /** Resolves to whether it was done; the dialog stays when it was not. */
  onConfirm(): Promise<boolean>
  onClose(): void
  readonly children?: ReactNode
}

/** Asks once more before something that cannot be taken back. */
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
