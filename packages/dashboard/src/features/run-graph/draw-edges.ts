import type { Frame } from './plot.ts'
import type { Scene } from './scene.ts'

interface NodePositions {
  readonly x: Float64Array
  readonly y: Float64Array
}

/** At a low zoom a curve looks like a line and costs four times as much. */
const curveScaleMin = 0.3
/** The canvas merges the strokes of one path before it paints, at a cost that grows faster than their number. */
const strokesPerPath = 300

/** Many edges of one node are drawn fainter, or they look like a filled area. */
const crowdedEdgesMin = 40

/** Draws edges behind the boxes: all of them faint, then those of the selected node; or only those. */
export function drawEdges(frame: Frame, scene: Scene, places: NodePositions, boxWidth: number, boxHeight: number, which: 'all' | 'focus'): void {
  const { context, camera, size, palette, emphasis } = frame
  const k = camera.kx
  const { from, to, dataEdges } = scene
  const focus = emphasis.selected ?? emphasis.hovered
  context.strokeStyle = palette.edge
  context.lineWidth = k < curveScaleMin ? Math.max(0.35, k) : 1.2
  context.globalAlpha = focus !== undefined || emphasis.found ? 0.3 : 0.75
  let pending = 0
  const flush = () => {
    if (pending > 0) context.stroke()
    pending = 0
    context.beginPath()
  }
  const trace = (edge: number) => {
    const a = from[edge] as number
    const b = to[edge] as number
    const x1 = ((places.x[a] as number) + boxWidth - camera.x) * k
    const x2 = ((places.x[b] as number) - camera.x) * k
    const y1 = ((places.y[a] as number) + boxHeight / 2 - camera.y) * k
    const y2 = ((places.y[b] as number) + boxHeight / 2 - camera.y) * k
    if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > size.width || Math.max(y1, y2) < 0 || Math.min(y1, y2) > size.height) return
    context.moveTo(x1, y1)
    if (k < curveScaleMin) context.lineTo(x2, y2)
    else {
      const reach = Math.max(20 * k, Math.abs(x2 - x1) / 2)
      context.bezierCurveTo(x1 + reach, y1, x2 - reach, y2, x2, y2)
    }
    pending += 1
    if (pending >= strokesPerPath) flush()
  }
  context.beginPath()
  if (which === 'all') {
    for (let edge = 0; edge < dataEdges; edge++) trace(edge)
    flush()
    context.setLineDash([4 * k, 3 * k])
    for (let edge = dataEdges; edge < from.length; edge++) trace(edge)
    flush()
    context.setLineDash([])
  }
  context.globalAlpha = 1
  if (focus === undefined) return
  const focusEdges: number[] = []
  for (let edge = 0; edge < from.length; edge++) if (from[edge] === focus || to[edge] === focus) focusEdges.push(edge)
  context.strokeStyle = palette.accent
  context.lineWidth = focusEdges.length > crowdedEdgesMin ? 1 : Math.max(1, 2 * Math.min(1, k))
  context.globalAlpha = focusEdges.length > crowdedEdgesMin ? 0.5 : 1
  for (const edge of focusEdges) trace(edge)
  flush()
  context.globalAlpha = 1
}
