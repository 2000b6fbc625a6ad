import type { Graph } from '@millrace/contracts/graph.ts'
import { queryOptions } from '@tanstack/react-query'
import { client as api } from './client.ts'
import { mergeGraph, unchangedBefore } from './merge-graph.ts'

/**
 * Task runs and subflows of a run, with their dependencies. A refetch loads only what may have changed. Its key has no noun that events refresh: a
 * graph can be megabytes, and the graph page refetches it while the run is active.
 */
export const runGraphQuery = (id: string) =>
  queryOptions({
    queryKey: ['run-graph', id],
    queryFn: async ({ client, signal }) => {
      const current = client.getQueryData<Graph>(['run-graph', id])
      const since = current && unchangedBefore(current)
      const found = await api.flowRuns.graph(id, { since }, { signal })
      return current && since ? mergeGraph(current, found) : found
    },
    // Comparing ten thousand nodes takes longer than drawing them.
    structuralSharing: false,
    staleTime: 2000,
  })
