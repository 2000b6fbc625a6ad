import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Icon } from './icon.tsx'

interface ErrorStateProps {
  readonly title: string
  readonly detail?: string | undefined
  /** Id of the request in the log of the server. */
  readonly requestId?: string | undefined
  readonly onRetry?: (() => void) | undefined
  readonly compact?: boolean
}

/** Error message of the server with its request id. */
export function ErrorState({ title, detail, requestId, onRetry, compact = false }: ErrorStateProps) {
  return (
    <div role="alert" className={`mx-auto flex w-full max-w-lg flex-col items-center gap-3 px-4 text-center ${compact ? 'py-4' : 'py-12'}`}>
      <span className="grid size-10 place-items-center rounded-full bg-danger-wash text-danger">
        <Icon name="warning" size={20} />
      </span>
      <div>
        <p className="font-semibold">{title}</p>
        {detail && <p className="mt-1 text-soft">{detail}</p>}
      </div>
      {requestId && (
        <p className="flex items-center gap-1 text-faint text-sm">
          Request <code className="font-mono">{requestId}</code>
          <CopyButton text={requestId} label="Copy request ID" />
        </p>
      )}
      {onRetry && (
        <Button icon="retry" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}
