import type { ErrorComponentProps } from '@tanstack/react-router'
import { describeError } from '../../api/api-error.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Page } from '../../ui/page.tsx'

/** Shown instead of a page that failed to render. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const { title, detail, requestId } = describeError(error)
  return (
    <Page title={title}>
      <ErrorState title={title} detail={detail} requestId={requestId} onRetry={reset} />
    </Page>
  )
}
