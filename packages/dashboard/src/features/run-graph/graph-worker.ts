import type { FarShapes, FarView } from './far-picture.ts'
import type { Question, Reply } from './graph.worker.ts'
import type { Edges, Layers } from './layers.ts'

// Started as this code is loaded, while the graph itself is still on its way.
const worker = new Worker(new URL('./graph.worker.ts', import.meta.url), { type: 'module' })
const waiting = new Map<number, (answer: never) => void>()
let lastId = 0
let lastShapes: FarShapes | undefined

worker.onmessage = ({ data }: MessageEvent<Reply>) => {
  const resolve = waiting.get(data.id)
  waiting.delete(data.id)
  resolve?.(data.answer as never)
}

const ask = <T>(question: (id: number) => Question): Promise<T> =>
  new Promise<T>((resolve) => {
    const id = ++lastId
    waiting.set(id, resolve)
    worker.postMessage(question(id))
  })

/** `placeInLayers` beside the page, which stays awake meanwhile. */
export const placeElsewhere = (edges: Edges): Promise<Layers> => ask((id) => ({ id, ask: 'place', edges }))

/** A picture of the shapes, drawn beside the page. */
export function drawElsewhere(shapes: FarShapes, view: FarView): Promise<ImageBitmap> {
  const sent = shapes === lastShapes ? undefined : shapes
  lastShapes = shapes
  return ask((id) => ({ id, ask: 'draw', shapes: sent, view }))
}
