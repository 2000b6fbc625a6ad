import type { Log, LogFilter } from '@millrace/contracts/log.ts'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

const pageSize = 200

/** Pages of logs, oldest first. Its key has no noun that events refresh: logs are append-only. */
export const logsQuery = (logs: LogFilter) =>
  infiniteQueryOptions({
    queryKey: ['logs', logs],
    queryFn: ({ pageParam, signal }) => client.logs.list({ logs, sort: 'TIMESTAMP_ASC', limit: pageSize, offset: pageParam }, { signal }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < pageSize ? undefined : pages.length * pageSize),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Lines after the first `offset` lines. */
export const readLogsFrom = (logs: LogFilter, offset: number): Promise<Log[]> =>
  client.logs.list({ logs, sort: 'TIMESTAMP_ASC', limit: pageSize, offset })

/** All matching lines, loaded page by page. */
export async function readAllLogs(logs: LogFilter): Promise<Log[]> {
  const all: Log[] = []
  for await (const log of client.logs.listAll({ logs })) all.push(log)
  return all
}
