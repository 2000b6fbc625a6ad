import { drawFarShapes, type FarShapes, type FarView } from './far-picture.ts'
import { type Edges, type Layers, placeInLayers } from './layers.ts'

/** What the page may ask for. Shapes are kept: views of them are asked for many times. */
export type Question =
  | { readonly id: number; readonly ask: 'place'; readonly edges: Edges }
  | { readonly id: number; readonly ask: 'draw'; readonly shapes: FarShapes | undefined; readonly view: FarView }

export interface Reply {
  readonly id: number
  readonly answer: Layers | ImageBitmap
}

let shapes: FarShapes | undefined
let canvas: OffscreenCanvas | undefined

function draw(view: FarView): ImageBitmap {
  const width = Math.max(1, Math.round(view.size.width * view.ratio))
  const height = Math.max(1, Math.round(view.size.height * view.ratio))
  if (canvas?.width !== width || canvas.height !== height) canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')
  if (context && shapes) drawFarShapes(context, shapes, view)
  return canvas.transferToImageBitmap()
}

addEventListener('message', ({ data }: MessageEvent<Question>) => {
  if (data.ask === 'place') return postMessage({ id: data.id, answer: placeInLayers(data.edges) } satisfies Reply)
  shapes = data.shapes ?? shapes
  const answer = draw(data.view)
  postMessage({ id: data.id, answer } satisfies Reply, { transfer: [answer] })
})
