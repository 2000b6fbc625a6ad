import type { Log, LogFilter, LogsFilterBody } from '@millrace/contracts/log.ts'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { RequestBody } from './sent.ts'

const pageSize = 200

const readLogs = (body: RequestBody<typeof LogsFilterBody>, signal?: AbortSignal) => call<Log[]>('POST', '/logs/filter', { body, signal })

/** Page after page, oldest first. Not under a noun that events refresh: what was logged does not change, there is only more. */
export const logsQuery = (logs: LogFilter) =>
  infiniteQueryOptions({
    queryKey: ['logs', logs],
    queryFn: ({ pageParam, signal }) => readLogs({ logs, sort: 'TIMESTAMP_ASC', limit: pageSize, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < pageSize ? undefined : pages.length * pageSize),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** What came after the first `offset` lines. */
export const readLogsFrom = (logs: LogFilter, offset: number): Promise<Log[]> => readLogs({ logs, sort: 'TIMESTAMP_ASC', limit: pageSize, offset })

/** All that match, a page at a time. */
export async function readAllLogs(logs: LogFilter): Promise<Log[]> {
  const all: Log[] = []
  for (;;) {
    const page = await readLogsFrom(logs, all.length)
    all.push(...page)
    if (page.length < pageSize) return all
  }
}
