import { Popover } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classNames } from './classes.ts'
import { Icon } from './icon.tsx'
import { keepFocusOnClose } from './keep-focus.ts'

interface FilterPopoverProps {
  readonly label: string
  /** Number of selected values. */
  readonly count?: number
  readonly open?: boolean
  onOpenChange?(open: boolean): void
  readonly className?: string
  readonly children: ReactNode
}

/** Button of a filter bar that opens its options or a text field. */
export function FilterPopover({ label, count = 0, open, onOpenChange, className, children }: FilterPopoverProps) {
  return (
    <Popover.Root {...(open !== undefined && { open })} {...(onOpenChange && { onOpenChange })}>
      <Popover.Trigger asChild>
        <Button className={count > 0 ? 'border-accent' : 'text-soft'}>
          {label}
          {count > 0 && <span className="rounded-full bg-accent px-1.5 text-on-accent text-xs leading-4">{count}</span>}
          <Icon name="down" size={12} className="text-faint" />
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          onCloseAutoFocus={keepFocusOnClose}
          className={classNames('z-50 max-w-[calc(100vw-1rem)] animate-rise rounded-md bg-surface shadow-pop', className)}
        >
          {children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
