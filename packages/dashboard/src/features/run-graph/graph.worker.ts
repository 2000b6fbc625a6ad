import { type GraphEdges, type LayeredLayout, layoutInLayers } from './layered-layout.ts'
import { drawOverview, type OverviewShapes, type OverviewView } from './overview-bitmap.ts'

/** Requests of the page. The worker keeps shapes, because views of them are requested many times. */
export type GraphRequest =
  | { readonly id: number; readonly ask: 'place'; readonly edges: GraphEdges }
  | { readonly id: number; readonly ask: 'draw'; readonly shapes: OverviewShapes | undefined; readonly view: OverviewView }

export interface GraphReply {
  readonly id: number
  readonly result: LayeredLayout | ImageBitmap
}

let shapes: OverviewShapes | undefined
let canvas: OffscreenCanvas | undefined

function draw(view: OverviewView): ImageBitmap {
  const width = Math.max(1, Math.round(view.size.width * view.ratio))
  const height = Math.max(1, Math.round(view.size.height * view.ratio))
  if (canvas?.width !== width || canvas.height !== height) canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')
  if (context && shapes) drawOverview(context, shapes, view)
  return canvas.transferToImageBitmap()
}

addEventListener('message', ({ data }: MessageEvent<GraphRequest>) => {
  if (data.ask === 'place') return postMessage({ id: data.id, result: layoutInLayers(data.edges) } satisfies GraphReply)
  shapes = data.shapes ?? shapes
  const answer = draw(data.view)
  postMessage({ id: data.id, result: answer } satisfies GraphReply, { transfer: [answer] })
})
