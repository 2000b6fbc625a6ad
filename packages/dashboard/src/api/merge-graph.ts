import { sortableTime } from '@millrace/client/sortable-time.ts'
import type { Graph } from '@millrace/contracts/graph.ts'

/** Clients set end times. Their clocks differ, and updates arrive out of order. */
const slackSeconds = 60

/** Nodes that ended before this time cannot change any more. Undefined while no node has ended. */
export function unchangedBefore(graph: Graph): string | undefined {
  let latest = ''
  for (const [, { end_time }] of graph.nodes) if (end_time !== null && sortableTime(end_time) > latest) latest = sortableTime(end_time)
  return latest === '' ? undefined : new Date(Date.parse(latest) - slackSeconds * 1000).toISOString()
}

/** Merges new nodes into a graph, ordered by start time as on the server. */
export function mergeGraph(current: Graph, fresh: Graph): Graph {
  const nodes = new Map(current.nodes)
  for (const [id, node] of fresh.nodes) nodes.set(id, node)
  const sorted = [...nodes].sort(([, a], [, b]) => {
    const [start, other] = [sortableTime(a.start_time), sortableTime(b.start_time)]
    return start < other ? -1 : start > other ? 1 : a.id < b.id ? -1 : 1
  })
  return { ...fresh, root_node_ids: sorted.filter(([, { parents }]) => parents.length === 0).map(([id]) => id), nodes: sorted }
}
