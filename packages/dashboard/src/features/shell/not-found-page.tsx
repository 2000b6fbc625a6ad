import { Link, Navigate, useLocation } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { resolveLegacyPath } from './legacy-paths.ts'

/** Where no page is: an old address leads on, any other is said to be none. */
export function NotFoundPage() {
  const { pathname, search } = useLocation()
  const moved = resolveLegacyPath(pathname)
  if (moved !== undefined) return <Navigate to={moved} search={search} replace />
  return (
    <Page title="No such page">
      <EmptyState
        title="There is no page at this address"
        action={
          <Link to="/dashboard" className={buttonClass('primary')}>
            Go home
          </Link>
        }
      >
        It may have moved. Ctrl K finds flows, deployments and runs by name.
      </EmptyState>
    </Page>
  )
}
