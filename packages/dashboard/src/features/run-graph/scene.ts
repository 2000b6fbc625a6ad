import type { Graph, Node } from '@millrace/contracts/graph.ts'
import type { DisplayState } from '../../ui/display-state.ts'
import { toDisplayState } from '../../ui/display-state.ts'
import { toMillis } from '../../ui/time-format.ts'

/** A graph with nodes by index and edges as index pairs in typed arrays. Iterating thousands of objects at 60 Hz would be slow. */
export interface Scene {
  readonly nodes: readonly Node[]
  readonly indexOf: ReadonlyMap<string, number>
  readonly displayStates: readonly DisplayState[]
  /** Milliseconds. The end is NaN while the node runs. */
  readonly starts: Float64Array
  readonly ends: Float64Array
  /** `from` is upstream of `to`. The first `dataEdges` pass data, the rest connect parents and children. */
  readonly from: Uint32Array
  readonly to: Uint32Array
  readonly dataEdges: number
  /** Start and states of the flow run. */
  readonly stateChanges: readonly { readonly at: number; readonly displayState: DisplayState; readonly name: string }[]
}

export function buildScene(graph: Graph): Scene {
  const nodes = graph.nodes.map(([, node]) => node)
  const indexOf = new Map(nodes.map(({ id }, index) => [id, index]))
  const within = listEdges(nodes, indexOf, ({ encapsulating }) => encapsulating)
  const handed = listEdges(nodes, indexOf, ({ parents }) => parents)
  return {
    nodes,
    indexOf,
    displayStates: nodes.map(({ state_type }) => toDisplayState(state_type)),
    starts: Float64Array.from(nodes, ({ start_time }) => toMillis(start_time)),
    ends: Float64Array.from(nodes, ({ end_time }) => (end_time === null ? Number.NaN : toMillis(end_time))),
    from: Uint32Array.from([...handed.from, ...within.from]),
    to: Uint32Array.from([...handed.to, ...within.to]),
    dataEdges: handed.from.length,
    stateChanges: graph.states.map(({ timestamp, type, name }) => ({ at: toMillis(timestamp), displayState: toDisplayState(type, name), name })),
  }
}

/** Skips edges to unknown nodes and edges from a node to itself. */
function listEdges(nodes: readonly Node[], indexOf: ReadonlyMap<string, number>, sources: (node: Node) => readonly { readonly id: string }[]) {
  const from: number[] = []
  const to: number[] = []
  for (const [index, node] of nodes.entries()) {
    for (const { id } of sources(node)) {
      const source = indexOf.get(id)
      if (source === undefined || source === index) continue
      from.push(source)
      to.push(index)
    }
  }
  return { from, to }
}

/** Whether two graphs have the same nodes and edges, regardless of states. */
export function hasSameShape(a: Scene, b: Scene): boolean {
  if (a.nodes.length !== b.nodes.length || a.from.length !== b.from.length) return false
  if (a.nodes.some(({ id }, index) => b.nodes[index]?.id !== id)) return false
  return a.from.every((each, index) => each === b.from[index] && a.to[index] === b.to[index])
}

/** Indexes of the direct upstream or downstream nodes. */
export function neighbours(scene: Scene, index: number, side: 'before' | 'after'): number[] {
  const [here, there] = side === 'before' ? [scene.to, scene.from] : [scene.from, scene.to]
  const found = new Set<number>()
  for (let edge = 0; edge < here.length; edge++) if (here[edge] === index) found.add(there[edge] as number)
  return [...found]
}

/** Nodes that match text and state, in drawing order. Undefined without a search. */
export function findNodes(scene: Scene, text: string, displayState: DisplayState | undefined): readonly number[] | undefined {
  const query = text.trim().toLowerCase()
  if (query === '' && displayState === undefined) return undefined
  const found: number[] = []
  for (const [index, { label }] of scene.nodes.entries()) {
    if (displayState !== undefined && scene.displayStates[index] !== displayState) continue
    if (query === '' || label.toLowerCase().includes(query)) found.push(index)
  }
  return found
}
