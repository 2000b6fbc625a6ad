import { keepPreviousData, type QueryKey, type UseQueryOptions, useQueries } from '@tanstack/react-query'
import { useCallback, useState } from 'react'

const pageSize = 100
/** Largest list that can be paged: the server skips all rows before an offset. */
const rowsMax = 10_000

export interface PagedRows<T> {
  readonly length: number
  readonly isPending: boolean
  readonly error: unknown
  /** Undefined while its page loads. */
  at(index: number): T | undefined
  onRange(first: number, last: number): void
  refetch(): void
}

/** Rows of a long list. Loads only the pages in view. */
export function usePagedRows<T, K extends QueryKey>(
  count: number | undefined,
  pageQuery: (page: { limit: number; offset: number }) => UseQueryOptions<T[], Error, T[], K>,
): PagedRows<T> {
  const [[firstPage, lastPage], setPages] = useState<[number, number]>([0, 0])
  const wanted = Array.from({ length: lastPage - firstPage + 1 }, (_, index) => firstPage + index)
  const pages = useQueries({
    queries: wanted.map((page) => ({ ...pageQuery({ limit: pageSize, offset: page * pageSize }), placeholderData: keepPreviousData })),
  })
  const onRange = useCallback((first: number, last: number) => {
    const next: [number, number] = [Math.floor(first / pageSize), Math.floor(last / pageSize)]
    setPages((current) => (current[0] === next[0] && current[1] === next[1] ? current : next))
  }, [])
  const first = pages[0]
  return {
    length: Math.min(rowsMax, count ?? (first?.data as T[] | undefined)?.length ?? 0),
    isPending: firstPage === 0 && first?.data === undefined && first?.isError !== true,
    error: pages.find(({ isError }) => isError)?.error,
    at: (index) => (pages[Math.floor(index / pageSize) - firstPage]?.data as T[] | undefined)?.[index % pageSize],
    onRange,
    refetch: () => {
      for (const page of pages) void page.refetch()
    },
  }
}
