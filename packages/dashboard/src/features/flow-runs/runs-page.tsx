import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { cappedRunCountQuery, flowRunCountQuery, listedRunsMax } from '../../api/flow-runs.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { useSearchChange } from '../../use-search-change.ts'
import { RunsFilterBar } from './filter-bar.tsx'
import { FilterChips } from './filter-chips.tsx'
import { hidesUpcoming, type RunsSearch, upcomingFilter } from './runs-search.ts'
import { RunsTable } from './runs-table.tsx'
import { useRunsFilter } from './use-runs-filter.ts'

/** The list of runs, filtered by the URL. */
export function RunsPage({ search }: { readonly search: RunsSearch }) {
  const change = useSearchChange<RunsSearch>()
  const filter = useRunsFilter(search)
  const count = useQuery(cappedRunCountQuery(filter))
  const upcoming = useQuery({ ...flowRunCountQuery(useRunsFilter(search, upcomingFilter)), enabled: hidesUpcoming(search) })
  const hidden = hidesUpcoming(search) ? (upcoming.data ?? 0) : 0
  const isFiltered = Object.keys(search).length > 0
  return (
    <Page
      title="Runs"
      fill
      titleAside={
        <>
          <RunCount count={count.data} search={search} />
          {hidden > 0 && (
            <Link to="/runs" search={{ ...search, upcoming: 'show' }} className="link">
              {hidden.toLocaleString()} upcoming
            </Link>
          )}
        </>
      }
    >
      <div className="shrink-0 pb-2">
        <RunsFilterBar search={search} onChange={change} />
        <FilterChips search={search} onChange={change} />
      </div>
      <RunsTable
        filter={filter}
        sort={search.sort}
        empty={
          isFiltered || hidden > 0 ? (
            <EmptyState title={hidden > 0 ? 'No runs yet' : 'No results'}>Clear filters, or extend the time range.</EmptyState>
          ) : (
            <EmptyState title="No runs yet" command="prefect deployment run 'my-flow/my-deployment'">
              Run a flow against this server to see it here.
            </EmptyState>
          )
        }
      />
    </Page>
  )
}

interface RunCountProps {
  readonly count: number | undefined
  readonly search: RunsSearch
}

function RunCount({ count, search: { parameter, ...others } }: RunCountProps) {
  const all = useQuery({ ...cappedRunCountQuery(useRunsFilter(others)), enabled: parameter !== undefined })
  if (count === undefined) return null
  const many = listedRunsMax.toLocaleString()
  // The parameter filter searches only the newest runs of the other filters, so the page says so.
  const isPart = parameter !== undefined && (all.data ?? 0) > listedRunsMax
  return (
    <span role="status" className="text-faint">
      {count > listedRunsMax ? `Showing the first ${many} of more than ${many} runs` : count.toLocaleString()}
      {isPart && ' among the newest runs. Filter by time to search older runs.'}
    </span>
  )
}
