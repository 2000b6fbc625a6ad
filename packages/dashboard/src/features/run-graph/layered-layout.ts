/** Positions of nodes in columns from left to right. Each node is after its dependencies. */
export interface LayeredLayout {
  readonly column: Uint32Array
  readonly row: Uint32Array
  /** Number of nodes per column. */
  readonly heights: Uint32Array
}

export interface GraphEdges {
  readonly count: number
  readonly from: Uint32Array
  readonly to: Uint32Array
}

/** Ratio of column width to row height, and the target aspect ratio of the layout. */
const cellRatio = 6
const screenRatio = 1.7
const rowsMin = 12
const sweeps = 4

/** Time and memory grow with nodes and edges alone (and the logarithm of a layer): 10,000 nodes and 19,000 edges take about 50 ms. */
export function layoutInLayers(edges: GraphEdges): LayeredLayout {
  const before = buildAdjacency(edges.count, edges.to, edges.from)
  const after = buildAdjacency(edges.count, edges.from, edges.to)
  const depth = computeDepths(edges.count, before, after)
  const layers = groupByDepth(depth)
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const downwards = sweep % 2 === 0
    reduceCrossings(downwards ? layers : layers.toReversed(), downwards ? before : after, edges.count)
  }
  return foldLayers(edges.count, layers)
}

interface Adjacency {
  /** Neighbours of `node` are `list[start[node]]` to `list[start[node + 1] - 1]`. */
  readonly start: Uint32Array
  readonly list: Uint32Array
}

function buildAdjacency(count: number, keys: Uint32Array, values: Uint32Array): Adjacency {
  const start = new Uint32Array(count + 1)
  for (const key of keys) start[key + 1] = (start[key + 1] as number) + 1
  for (let node = 0; node < count; node++) start[node + 1] = (start[node + 1] as number) + (start[node] as number)
  const next = start.slice(0, count)
  const list = new Uint32Array(values.length)
  for (let edge = 0; edge < values.length; edge++) {
    const key = keys[edge] as number
    list[next[key] as number] = values[edge] as number
    next[key] = (next[key] as number) + 1
  }
  return { start, list }
}

const adjacentTo = ({ start, list }: Adjacency, node: number): Uint32Array => list.subarray(start[node], start[node + 1])

/** Longest path to each node. A cycle, which a broken client can report, is entered at its first node. */
function computeDepths(count: number, before: Adjacency, after: Adjacency): Uint32Array {
  const depth = new Uint32Array(count)
  const waitsFor = Uint32Array.from({ length: count }, (_, node) => adjacentTo(before, node).length)
  const isPlaced = new Uint8Array(count)
  const ready: number[] = []
  for (let node = 0; node < count; node++) if (waitsFor[node] === 0) ready.push(node)
  for (let next = 0, entry = 0; next < count; next++) {
    while (next >= ready.length) {
      // Only cycles are left.
      if (isPlaced[entry] === 0) ready.push(entry)
      entry += 1
    }
    const node = ready[next] as number
    isPlaced[node] = 1
    for (const child of adjacentTo(after, node)) {
      if (isPlaced[child] === 1) continue
      depth[child] = Math.max(depth[child] as number, (depth[node] as number) + 1)
      waitsFor[child] = (waitsFor[child] as number) - 1
      if (waitsFor[child] === 0) ready.push(child)
    }
  }
  return depth
}

function groupByDepth(depth: Uint32Array): number[][] {
  const layers: number[][] = []
  for (const [node, layer] of depth.entries()) {
    while (layers.length <= layer) layers.push([])
    layers[layer]?.push(node)
  }
  return layers
}

/** Moves every node near the mean of its neighbours in the ordered layers, which removes most crossings. */
function reduceCrossings(layers: readonly number[][], neighboursOf: Adjacency, count: number): void {
  const place = new Float64Array(count).fill(Number.NaN)
  for (const layer of layers) {
    const wish = new Map<number, number>()
    for (const [index, node] of layer.entries()) {
      let sum = 0
      let placedCount = 0
      for (const neighbour of adjacentTo(neighboursOf, node)) {
        const at = place[neighbour] as number
        if (Number.isNaN(at)) continue
        sum += at
        placedCount += 1
      }
      wish.set(node, placedCount > 0 ? sum / placedCount : index / layer.length)
    }
    layer.sort((a, b) => (wish.get(a) as number) - (wish.get(b) as number) || a - b)
    for (const [index, node] of layer.entries()) place[node] = (index + 0.5) / layer.length
  }
}

/** Folds layers of thousands of nodes, as mapped tasks create, into several columns, so that the graph fits the screen. */
function foldLayers(count: number, layers: readonly number[][]): LayeredLayout {
  const rowsMax = Math.max(rowsMin, Math.ceil(Math.sqrt((count * cellRatio) / screenRatio)))
  const column = new Uint32Array(count)
  const row = new Uint32Array(count)
  const heights: number[] = []
  for (const layer of layers) {
    const columns = Math.ceil(layer.length / rowsMax)
    const height = Math.ceil(layer.length / columns)
    for (const [index, node] of layer.entries()) {
      column[node] = heights.length + Math.floor(index / height)
      row[node] = index % height
    }
    for (let left = layer.length; left > 0; left -= height) heights.push(Math.min(left, height))
  }
  return { column, row, heights: Uint32Array.from(heights) }
}
