import { keepPreviousData, type QueryKey, type UseQueryOptions, useQueries } from '@tanstack/react-query'
import { useCallback, useState } from 'react'

const pageSize = 100
/** Beyond this a list is not read but searched: to come to a row the server has to pass by all before it. */
const rowsMax = 10_000

export interface PagedRows<T> {
  readonly length: number
  readonly isPending: boolean
  readonly error: unknown
  /** Undefined while its page is on the way. */
  at(index: number): T | undefined
  onRange(first: number, last: number): void
  refetch(): void
}

/** The rows of a long list, a page at a time: of the pages that are on the screen. */
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
    setPages((known) => (known[0] === next[0] && known[1] === next[1] ? known : next))
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
