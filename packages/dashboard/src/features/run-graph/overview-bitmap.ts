import type { Camera, Size } from './camera.ts'

/** A graph as blocks and lines, for a low zoom. */
export interface OverviewShapes {
  readonly x: Float64Array
  readonly y: Float64Array
  readonly width: Float64Array
  readonly height: number
  /** Colour index of each block. */
  readonly colour: Uint8Array
  /** Lines from the right side of one block to the left side of another. */
  readonly from: Uint32Array
  readonly to: Uint32Array
}

export interface OverviewView {
  readonly camera: Camera
  readonly size: Size
  readonly ratio: number
  readonly colours: readonly string[]
  readonly lineColour: string
  /** 1 for faded blocks. */
  readonly faint: Uint8Array | undefined
}

/** The canvas merges the strokes of one path before it paints, at a cost that grows faster than their number. */
const strokesPerPath = 300

export function drawOverview(context: OffscreenCanvasRenderingContext2D, shapes: OverviewShapes, view: OverviewView): void {
  const { camera, size, ratio } = view
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, size.width, size.height)
  drawLines(context, shapes, view)
  const { x, y, width, colour } = shapes
  const height = Math.max(1.2, shapes.height * camera.ky)
  let current = -1
  for (let index = 0; index < x.length; index++) {
    const left = ((x[index] as number) - camera.x) * camera.kx
    const top = ((y[index] as number) - camera.y) * camera.ky
    const wide = Math.max(2, (width[index] as number) * camera.kx)
    if (left > size.width || top > size.height || left + wide < 0 || top + height < 0) continue
    const kind = (colour[index] as number) * 2 + (view.faint?.[index] ?? 0)
    if (kind !== current) {
      current = kind
      context.fillStyle = view.colours[kind >> 1] ?? view.lineColour
      context.globalAlpha = kind & 1 ? 0.22 : 1
    }
    context.fillRect(left, top, wide, height)
  }
  context.globalAlpha = 1
}

function drawLines(context: OffscreenCanvasRenderingContext2D, { x, y, width, height, from, to }: OverviewShapes, view: OverviewView): void {
  const { camera, size } = view
  context.strokeStyle = view.lineColour
  context.globalAlpha = view.faint ? 0.2 : 0.6
  context.lineWidth = Math.min(1, Math.max(0.4, camera.kx * 2))
  context.beginPath()
  for (let edge = 0, pending = 0; edge < from.length; edge++) {
    const a = from[edge] as number
    const b = to[edge] as number
    const x1 = ((x[a] as number) + (width[a] as number) - camera.x) * camera.kx
    const x2 = ((x[b] as number) - camera.x) * camera.kx
    const y1 = ((y[a] as number) + height / 2 - camera.y) * camera.ky
    const y2 = ((y[b] as number) + height / 2 - camera.y) * camera.ky
    if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > size.width || Math.max(y1, y2) < 0 || Math.min(y1, y2) > size.height) continue
    context.moveTo(x1, y1)
    context.lineTo(x2, y2)
    pending += 1
    if (pending < strokesPerPath) continue
    context.stroke()
    context.beginPath()
    pending = 0
  }
  context.stroke()
  context.globalAlpha = 1
}
