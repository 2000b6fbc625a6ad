import { queryOptions } from '@tanstack/react-query'
import { callForText } from './client.ts'

/** The value of an input, which is text, most often JSON; a paused run keeps the schema of what it waits for as one. */
export const flowRunInputQuery = (id: string, key: string) =>
  queryOptions({
    queryKey: ['flow-runs', 'input', id, key],
    queryFn: ({ signal }) => callForText('GET', `/flow_runs/${id}/input/${encodeURIComponent(key)}`, { signal }),
  })
