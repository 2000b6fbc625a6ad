import { drawStateIcon } from './draw-state-icon.ts'
import type { Frame } from './plot.ts'
import type { Scene } from './scene.ts'
import { timeTicks } from './time-ticks.ts'

const tickWidth = 96
const height = 30

interface Axis {
  readonly begin: number
  readonly present: number
  readonly marks: Scene['stateChanges']
  formatTick(at: number, style: 'milli' | 'second' | 'clock' | 'minute'): string
  /** Lines go behind the bars, labels above them. */
  readonly part: 'lines' | 'names'
}

/** Draws time ticks, state changes of the run and the current time. */
export function drawTimeAxis({ context, camera, size, palette }: Frame, { begin, present, marks, formatTick: tell, part }: Axis): void {
  const from = begin + camera.x
  const to = from + size.width / camera.kx
  const xOf = (at: number) => (at - from) * camera.kx
  const offset = -new Date(from).getTimezoneOffset() * 60_000
  const { times, style } = timeTicks(from, to, size.width / tickWidth, offset)
  if (part === 'lines') {
    context.fillStyle = palette.line
    for (const at of times) context.fillRect(Math.round(xOf(at)), 0, 1, size.height)
    context.fillStyle = palette.accent
    if (present > from && present < to) context.fillRect(Math.round(xOf(present)), height, 1, size.height)
    return
  }
  context.fillStyle = palette.surface
  context.fillRect(0, 0, size.width, height)
  context.fillStyle = palette.line
  context.fillRect(0, height - 1, size.width, 1)
  context.font = `11px ${palette.font}`
  context.textBaseline = 'middle'
  for (const at of times) context.fillRect(Math.round(xOf(at)), 0, 1, height)
  context.fillStyle = palette.faint
  for (const at of times) context.fillText(tell(at, style), xOf(at) + 5, 11)
  for (const { at, displayState } of marks)
    if (at >= from && at <= to) drawStateIcon(context, displayState, xOf(at), height - 6, 8, palette.colour[displayState], palette.surface)
}
