import type { ReactNode } from 'react'
import { CodeBlock } from './code-block.tsx'
import { Logo } from './logo.tsx'

interface EmptyStateProps {
  readonly title: string
  /** Next step for the user. */
  readonly children?: ReactNode
  readonly command?: string
  readonly action?: ReactNode
  readonly compact?: boolean
}

export function EmptyState({ title, children, command, action, compact = false }: EmptyStateProps) {
  return (
    <div className={`mx-auto flex w-full max-w-md flex-col items-center gap-3 px-4 text-center ${compact ? 'py-6' : 'py-14'}`}>
      {!compact && (
        <span className="text-edge">
          <Logo size={44} />
        </span>
      )}
      <div>
        <p className="font-semibold">{title}</p>
        {children && <p className="mt-1 text-balance text-soft">{children}</p>}
      </div>
      {command && <CodeBlock code={command} className="w-full text-left" />}
      {action}
    </div>
  )
}
