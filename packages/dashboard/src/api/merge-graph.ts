import type { Graph } from '@millrace/contracts/graph.ts'

/** Ends are written by clients whose clocks differ, and arrive out of order. */
const slackSeconds = 60

/** The time before which nothing of this graph can have changed; undefined while nothing of it has ended. */
export function unchangedBefore(graph: Graph): string | undefined {
  let latest = ''
  for (const [, { end_time }] of graph.nodes) if (end_time !== null && end_time > latest) latest = end_time
  return latest === '' ? undefined : new Date(Date.parse(latest) - slackSeconds * 1000).toISOString()
}

/** What was known, with what has come since; in the order of their starts, as the server has them. */
export function mergeGraph(known: Graph, fresh: Graph): Graph {
  const nodes = new Map(known.nodes)
  for (const [id, node] of fresh.nodes) nodes.set(id, node)
  const sorted = [...nodes].sort(([, a], [, b]) => (a.start_time < b.start_time ? -1 : a.start_time > b.start_time ? 1 : a.id < b.id ? -1 : 1))
  return { ...fresh, root_node_ids: sorted.filter(([, { parents }]) => parents.length === 0).map(([id]) => id), nodes: sorted }
}
