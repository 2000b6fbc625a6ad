/** A cycle of the graph with its first node repeated at the end; undefined when there is none. */
export function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>()
  for (const start of graph.keys()) {
    // Iterative, because a deep import tree would overflow the stack.
    const path: string[] = []
    const onPath = new Set<string>()
    const work: { node: string; leaving: boolean }[] = [{ node: start, leaving: false }]
    for (let step = work.pop(); step; step = work.pop()) {
      const { node, leaving } = step
      if (leaving) {
        path.pop()
        onPath.delete(node)
        done.add(node)
      } else if (onPath.has(node)) {
        return [...path.slice(path.indexOf(node)), node]
      } else if (!done.has(node)) {
        path.push(node)
        onPath.add(node)
        work.push({ node, leaving: true })
        for (const next of graph.get(node) ?? []) work.push({ node: next, leaving: false })
      }
    }
  }
  return undefined
}
