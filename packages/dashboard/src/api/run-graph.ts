import type { Graph } from '@millrace/contracts/graph.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import { mergeGraph, unchangedBefore } from './merge-graph.ts'

/**
 * The tasks and sub-flows of a run and how they hang together. Read again, it asks only for what may have changed. Not under a noun that events
 * refresh: it may be megabytes, and the graph knows itself when it grows.
 */
export const runGraphQuery = (id: string) =>
  queryOptions({
    queryKey: ['run-graph', id],
    queryFn: async ({ client, signal }) => {
      const known = client.getQueryData<Graph>(['run-graph', id])
      const since = known && unchangedBefore(known)
      const found = await call<Graph>('GET', `/flow_runs/${id}/graph-v2`, { query: { since }, signal })
      return known && since ? mergeGraph(known, found) : found
    },
    // To compare ten thousand nodes with themselves takes longer than to draw them.
    structuralSharing: false,
    staleTime: 2000,
  })
