import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './classes.ts'
import { Icon } from './icon.tsx'
import { keepFocusOnClose } from './keep-focus.ts'

interface DialogProps {
  readonly open: boolean
  onClose(): void
  readonly title: string
  readonly description?: ReactNode
  readonly wide?: boolean
  readonly children: ReactNode
  /** Buttons in the footer, the primary one last. */
  readonly actions?: ReactNode
}

export function Dialog({ open, onClose, title, description, wide = false, children, actions }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-ink/30 dark:bg-paper/70" />
        <Radix.Content
          onCloseAutoFocus={keepFocusOnClose}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className={classNames(
            'fixed top-1/2 left-1/2 z-50 flex max-h-[85dvh] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg bg-surface shadow-pop focus:outline-none',
            wide ? 'max-w-3xl' : 'max-w-lg',
          )}
        >
          <header className="flex items-start gap-3 border-b border-line py-3 pr-2 pl-5">
            <div className="min-w-0 flex-1 py-1">
              <Radix.Title className="font-semibold text-lg">{title}</Radix.Title>
              {description !== undefined && <Radix.Description className="text-soft">{description}</Radix.Description>}
            </div>
            {/* Without a tooltip: the button has focus when the dialog opens, and Escape would close the tooltip first. */}
            <button type="button" aria-label="Close" onClick={onClose} className="grid size-8 place-items-center rounded-md text-soft hover:bg-hover">
              <Icon name="cross" />
            </button>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
          {actions && <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{actions}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
