import type { Log, LogFilter } from '@millrace/contracts/log.ts'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { logsQuery, readLogsFrom } from '../../api/logs.ts'

const tailSeconds = 2

/** The logs that match, read to their end page by page; while `growing`, what is added to them too. */
export function useLogs(filter: LogFilter, growing: boolean) {
  const queryClient = useQueryClient()
  const query = useInfiniteQuery(logsQuery(filter))
  const { hasNextPage, isFetching, fetchNextPage } = query
  const logs = useMemo(() => query.data?.pages.flat() ?? [], [query.data])
  const atEnd = query.isSuccess && !hasNextPage

  useEffect(() => {
    if (!growing || !atEnd) return
    const { queryKey } = logsQuery(filter)
    let reading = false
    const timer = window.setInterval(async () => {
      if (reading || document.visibilityState !== 'visible') return
      reading = true
      try {
        const fresh = await readLogsFrom(filter, logs.length)
        if (fresh.length > 0) {
          queryClient.setQueryData<InfiniteData<Log[], number>>(queryKey, (data) =>
            data ? { ...data, pages: [...data.pages.slice(0, -1), [...(data.pages.at(-1) ?? []), ...fresh]] } : data,
          )
        }
      } catch {
        // The next turn tries again.
      }
      reading = false
    }, tailSeconds * 1000)
    return () => window.clearInterval(timer)
  }, [growing, atEnd, filter, logs.length, queryClient])

  const more = () => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }
  return { query, logs, hasMore: hasNextPage, more }
}
