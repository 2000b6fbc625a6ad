import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import type { IconName } from './icon.tsx'

interface ConfirmDialogProps {
  readonly open: boolean
  readonly title: string
  /** Consequences of the action. */
  readonly description: ReactNode
  readonly confirmLabel: string
  readonly icon?: IconName
  /** Resolves to true on success. The dialog stays open otherwise. */
  onConfirm(): Promise<boolean>
  onClose(): void
  readonly children?: ReactNode
}

/** Confirms an action that cannot be undone. */
export function ConfirmDialog({ open, title, description, confirmLabel, icon = 'trash', onConfirm, onClose, children }: ConfirmDialogProps) {
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
          <Button variant="danger" icon={icon} busy={busy} onClick={() => void confirm()}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <div className="text-soft">{description}</div>
      {children}
    </Dialog>
  )
}
