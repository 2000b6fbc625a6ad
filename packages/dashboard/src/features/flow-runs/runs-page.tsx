import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { flowRunCountQuery } from '../../api/flow-runs.ts'
import { useNow } from '../../ui/clock.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { rowsMax } from '../use-paged-rows.ts'
import { FilterBar } from './filter-bar.tsx'
import { FilterChips } from './filter-chips.tsx'
import { RunsTable } from './runs-table.tsx'
import { type RunsSearch, runsFilter } from './search.ts'

/** All runs, narrowed by what stands in the address. */
export function RunsPage({ search }: { readonly search: RunsSearch }) {
  const navigate = useNavigate()
  const minute = Math.floor(useNow(60) / 60_000) * 60_000
  const filter = useMemo(() => runsFilter(search, minute), [search, minute])
  const change = useCallback((next: RunsSearch) => void navigate({ to: '/runs', search: next, replace: true }), [navigate])
  const count = useQuery(flowRunCountQuery(filter))
  const isFiltered = Object.keys(filter).length > 0
  return (
    <Page title="Runs" fill beside={<RunCount count={count.data} />}>
      <div className="shrink-0 pb-2">
        <FilterBar search={search} onChange={change} />
        <FilterChips search={search} onChange={change} />
      </div>
      <RunsTable
        filter={filter}
        sort={search.sort}
        empty={
          isFiltered ? (
            <EmptyState title="No run matches">Take a filter off, or look further back.</EmptyState>
          ) : (
            <EmptyState title="No runs yet" command="prefect deployment run 'my-flow/my-deployment'">
              Run a flow against this server and it appears here as it happens.
            </EmptyState>
          )
        }
      />
    </Page>
  )
}

function RunCount({ count }: { readonly count: number | undefined }) {
  if (count === undefined) return null
  const listed = count > rowsMax ? `, the first ${rowsMax.toLocaleString()} listed` : ''
  return (
    <span role="status" className="text-faint">
      {count.toLocaleString()}
      {listed}
    </span>
  )
}
