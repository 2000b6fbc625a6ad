import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { type FlowRunsCount, flowRunCountQuery, flowRunsQuery } from '../../api/flow-runs.ts'
import { sorts } from './search.ts'

const pageSize = 100
/** Beyond this a list is not read but searched; the server would have to pass by all rows before. */
export const rowsMax = 10_000

export interface RunRows {
  /** Undefined until it is known. */
  readonly count: number | undefined
  readonly length: number
  readonly isPending: boolean
  readonly error: unknown
  /** Undefined while its page is on the way. */
  at(index: number): FlowRunResponse | undefined
  onRange(first: number, last: number): void
  refetch(): void
}

/** The rows of a list of runs, a page at a time, for those that are on the screen. */
export function useRunRows(filter: FlowRunsCount, sort: keyof typeof sorts = 'newest'): RunRows {
  const [[firstPage, lastPage], setPages] = useState<[number, number]>([0, 0])
  const count = useQuery(flowRunCountQuery(filter))
  const wanted = Array.from({ length: lastPage - firstPage + 1 }, (_, index) => firstPage + index)
  const pages = useQueries({
    queries: wanted.map((page) => ({
      ...flowRunsQuery({ ...filter, sort: sorts[sort].sort, limit: pageSize, offset: page * pageSize }),
      placeholderData: keepPreviousData,
    })),
  })
  const onRange = useCallback((first: number, last: number) => {
    const next: [number, number] = [Math.floor(first / pageSize), Math.floor(last / pageSize)]
    setPages((known) => (known[0] === next[0] && known[1] === next[1] ? known : next))
  }, [])
  const loaded = pages[0]?.data
  return {
    count: count.data,
    length: Math.min(rowsMax, count.data ?? loaded?.length ?? 0),
    isPending: firstPage === 0 && loaded === undefined && pages[0]?.isError !== true,
    error: pages.find(({ isError }) => isError)?.error,
    at: (index) => pages[Math.floor(index / pageSize) - firstPage]?.data?.[index % pageSize],
    onRange,
    refetch: () => {
      for (const page of pages) void page.refetch()
    },
  }
}
