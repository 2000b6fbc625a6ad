import type { DisplayState } from '../../ui/display-state.ts'

/** Draws the shapes of `StateShape` on a canvas: round for good, angular for bad, outlined for not started. Cut-outs show the background. */
export function drawStateIcon(
  context: CanvasRenderingContext2D,
  displayState: DisplayState,
  x: number,
  y: number,
  size: number,
  colour: string,
  ground: string,
): void {
  const r = size / 2
  context.fillStyle = colour
  context.strokeStyle = colour
  context.lineWidth = Math.max(1, size / 9)
  context.beginPath()
  switch (displayState) {
    case 'completed':
      context.arc(x, y, r, 0, Math.PI * 2)
      context.fill()
      drawCutout(context, ground, size, [
        [x - r * 0.45, y + r * 0.05],
        [x - r * 0.1, y + r * 0.4],
        [x + r * 0.45, y - r * 0.3],
      ])
      break
    case 'failed':
      context.roundRect(x - r, y - r, size, size, size / 5)
      context.fill()
      drawCutout(context, ground, size, [
        [x - r * 0.4, y - r * 0.4],
        [x + r * 0.4, y + r * 0.4],
      ])
      drawCutout(context, ground, size, [
        [x + r * 0.4, y - r * 0.4],
        [x - r * 0.4, y + r * 0.4],
      ])
      break
    case 'crashed':
      context.moveTo(x, y - r)
      context.lineTo(x + r, y + r * 0.85)
      context.lineTo(x - r, y + r * 0.85)
      context.closePath()
      context.fill()
      break
    case 'late':
      context.moveTo(x - r * 0.8, y - r)
      context.lineTo(x + r * 0.8, y - r)
      context.lineTo(x - r * 0.8, y + r)
      context.lineTo(x + r * 0.8, y + r)
      context.closePath()
      context.fill()
      break
    case 'running':
      context.arc(x, y, r * 0.9, 0, Math.PI * 2)
      context.stroke()
      context.beginPath()
      context.arc(x, y, r * 0.4, 0, Math.PI * 2)
      context.fill()
      break
    case 'cancelled':
    case 'cancelling':
      context.arc(x, y, r * 0.9, 0, Math.PI * 2)
      context.moveTo(x - r * 0.55, y + r * 0.55)
      context.lineTo(x + r * 0.55, y - r * 0.55)
      context.stroke()
      break
    case 'paused':
      context.arc(x, y, r * 0.9, 0, Math.PI * 2)
      context.moveTo(x - r * 0.25, y - r * 0.35)
      context.lineTo(x - r * 0.25, y + r * 0.35)
      context.moveTo(x + r * 0.25, y - r * 0.35)
      context.lineTo(x + r * 0.25, y + r * 0.35)
      context.stroke()
      break
    default:
      context.arc(x, y, r * 0.9, 0, Math.PI * 2)
      context.stroke()
  }
}

function drawCutout(context: CanvasRenderingContext2D, ground: string, size: number, points: readonly (readonly [number, number])[]): void {
  // Too small to recognize.
  if (size < 8) return
  context.strokeStyle = ground
  context.lineWidth = Math.max(1, size / 8)
  context.beginPath()
  for (const [x, y] of points) context.lineTo(x, y)
  context.stroke()
}
