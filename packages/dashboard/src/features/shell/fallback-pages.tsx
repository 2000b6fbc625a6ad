import { type ErrorComponentProps, Link, Navigate, useLocation } from '@tanstack/react-router'
import { describeError } from '../../api/describe-error.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Page } from '../../ui/page.tsx'
import { resolveLegacyPath } from './legacy-paths.ts'

/** Redirects legacy paths and reports any other as not found. */
export function NotFoundPage() {
  const { pathname, search } = useLocation()
  const moved = resolveLegacyPath(pathname)
  if (moved !== undefined) return <Navigate to={moved} search={search} replace />
  return (
    <Page title="Page not found">
      <EmptyState
        title="No page at this address"
        action={
          <Link to="/dashboard" className={buttonClass('primary')}>
            Go to Home
          </Link>
        }
      >
        The page may have moved. Press Ctrl K to search by name.
      </EmptyState>
    </Page>
  )
}

/** Shown instead of a page that failed to render. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const { title, detail, requestId } = describeError(error)
  return (
    <Page title={title}>
      <ErrorState title={title} detail={detail} requestId={requestId} onRetry={reset} />
    </Page>
  )
}
