import type { Log, LogFilter } from '@millrace/contracts/log.ts'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { client } from '../../api/client.ts'
import { follow } from '../../api/follow.ts'
import { logsQuery, readLogsFrom } from '../../api/logs.ts'

/** Polling interval without a socket. */
const pollSeconds = 2
/** Lines arrive in bursts and are loaded together. */
const debounceSeconds = 0.2

/** Matching logs, loaded page by page; new lines too while `growing`. */
export function useLogs(filter: LogFilter, growing: boolean) {
  const queryClient = useQueryClient()
  const query = useInfiniteQuery(logsQuery(filter))
  const { hasNextPage, isFetching, fetchNextPage } = query
  const logs = useMemo(() => query.data?.pages.flat() ?? [], [query.data])
  const length = useRef(0)
  length.current = logs.length
  const atEnd = query.isSuccess && !hasNextPage

  useEffect(() => {
    if (!growing || !atEnd) return
    const { queryKey } = logsQuery(filter)
    return tail(async () => {
      const fresh = await readLogsFrom(filter, length.current)
      if (fresh.length === 0) return
      queryClient.setQueryData<InfiniteData<Log[], number>>(queryKey, (data) =>
        data ? { ...data, pages: [...data.pages.slice(0, -1), [...(data.pages.at(-1) ?? []), ...fresh]] } : data,
      )
    }, filter)
  }, [growing, atEnd, filter, queryClient])

  const more = () => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }
  return { query, logs, hasMore: hasNextPage, more }
}

/** Calls `read` when the socket signals new lines, or by polling. The socket is only a signal: `read` returns complete lines in order. */
function tail(read: () => Promise<void>, filter: LogFilter): () => void {
  let isOpen = false
  let waiting: number | undefined
  let reading = false
  const wake = () => {
    waiting ??= window.setTimeout(() => {
      waiting = undefined
      if (reading) return wake()
      reading = true
      // The next signal or poll retries.
      read()
        .catch(() => {})
        .finally(() => {
          reading = false
        })
    }, debounceSeconds * 1000)
  }
  const close = follow((options) => client.logs.subscribe(filter, options), wake, {
    resume: false,
    onConnect: () => {
      isOpen = true
      wake()
    },
    onDisconnect: () => {
      isOpen = false
    },
  })
  const poll = window.setInterval(() => {
    if (!isOpen && document.visibilityState === 'visible') wake()
  }, pollSeconds * 1000)
  return () => {
    close()
    window.clearTimeout(waiting)
    window.clearInterval(poll)
  }
}
