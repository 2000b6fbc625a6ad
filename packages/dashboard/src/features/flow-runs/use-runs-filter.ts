import { useMemo } from 'react'
import type { FlowRunCriteria } from '../../api/flow-runs.ts'
import { useNow } from '../../ui/clock.ts'
import { type RunsSearch, runsFilter } from './runs-search.ts'

/** The API filter of a search, stable for one minute. */
export function useRunsFilter(search: RunsSearch, filterOf: typeof runsFilter = runsFilter): FlowRunCriteria {
  const minute = Math.floor(useNow(60) / 60_000) * 60_000
  const key = JSON.stringify(search)
  return useMemo(() => filterOf(JSON.parse(key) as RunsSearch, minute), [filterOf, key, minute])
}
