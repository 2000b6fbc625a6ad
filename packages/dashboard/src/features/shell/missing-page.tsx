import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'

/** Where no page is. */
export function MissingPage() {
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
