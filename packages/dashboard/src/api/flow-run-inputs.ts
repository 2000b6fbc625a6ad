import { queryOptions } from '@tanstack/react-query'
import { callForText } from './client.ts'

/** Value of a run input: text, usually JSON. A paused run stores the schema of its expected input this way. */
export const flowRunInputQuery = (id: string, key: string) =>
  queryOptions({
    queryKey: ['flow-runs', 'input', id, key],
    queryFn: ({ signal }) => callForText('GET', `/flow_runs/${id}/input/${encodeURIComponent(key)}`, { signal }),
  })
