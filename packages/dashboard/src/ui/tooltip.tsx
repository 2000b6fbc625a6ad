import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

interface TooltipProps {
  readonly text: ReactNode
  readonly keys?: string
  readonly children: ReactNode
}

export function Tooltip({ text, keys, children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-xs animate-rise rounded-md bg-ink px-2 py-1 text-sm text-paper shadow-pop"
        >
          {text}
          {keys && <kbd className="ml-2 font-mono text-xs opacity-75">{keys}</kbd>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Render once around the app. After the first tooltip, others appear without a delay. */
export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={400} skipDelayDuration={200}>
      {children}
    </Radix.Provider>
  )
}
