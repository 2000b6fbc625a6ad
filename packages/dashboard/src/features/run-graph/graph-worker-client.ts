import type { GraphReply, GraphRequest } from './graph.worker.ts'
import type { GraphEdges, LayeredLayout } from './layered-layout.ts'
import type { OverviewShapes, OverviewView } from './overview-bitmap.ts'

// Starts on module load, while the graph is still being fetched.
const worker = new Worker(new URL('./graph.worker.ts', import.meta.url), { type: 'module' })
const pending = new Map<number, (answer: never) => void>()
let lastId = 0
let sentShapes: OverviewShapes | undefined

worker.onmessage = ({ data }: MessageEvent<GraphReply>) => {
  const resolve = pending.get(data.id)
  pending.delete(data.id)
  resolve?.(data.result as never)
}

const request = <T>(question: (id: number) => GraphRequest): Promise<T> =>
  new Promise<T>((resolve) => {
    const id = ++lastId
    pending.set(id, resolve)
    worker.postMessage(question(id))
  })

/** Runs `placeInLayers` in a worker, so that the page stays responsive. */
export const layoutInWorker = (edges: GraphEdges): Promise<LayeredLayout> => request((id) => ({ id, ask: 'place', edges }))

/** Draws the overview bitmap in a worker. */
export function drawOverviewInWorker(shapes: OverviewShapes, view: OverviewView): Promise<ImageBitmap> {
  const sent = shapes === sentShapes ? undefined : shapes
  sentShapes = shapes
  return request((id) => ({ id, ask: 'draw', shapes: sent, view }))
}
