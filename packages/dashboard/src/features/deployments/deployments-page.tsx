import { useQuery } from '@tanstack/react-query'
import { deploymentPageQuery } from '../../api/deployments.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import type { SearchChange } from '../../use-search-change.ts'
import { DeploymentsFilterBar } from './deployments-filter-bar.tsx'
import { type DeploymentsSearch, deploymentsBody, hasFilters } from './deployments-search.ts'
import { DeploymentsTable } from './deployments-table.tsx'

interface DeploymentsPageProps {
  readonly search: DeploymentsSearch
  readonly onSearch: SearchChange<DeploymentsSearch>
}

export function DeploymentsPage({ search, onSearch }: DeploymentsPageProps) {
  const { page_size } = usePreferences()
  const page = search.page ?? 1
  const deployments = useQuery(deploymentPageQuery(deploymentsBody({ ...search, page }, page_size)))
  return (
    <Page
      title="Deployments"
      actions={
        deployments.data && (
          <Pagination
            {...deployments.data}
            noun={deployments.data.count === 1 ? 'deployment' : 'deployments'}
            onPage={(next) => onSearch({ page: next })}
          />
        )
      }
    >
      <DeploymentsFilterBar search={search} onSearch={onSearch} />
      <DeploymentsTable
        search={{ ...search, page }}
        empty={
          hasFilters(search) ? (
            <EmptyState title="No results">Clear filters to see all deployments.</EmptyState>
          ) : (
            <EmptyState title="No deployments yet" command="prefect deploy">
              A deployment defines where and when a flow runs.
            </EmptyState>
          )
        }
      />
    </Page>
  )
}
