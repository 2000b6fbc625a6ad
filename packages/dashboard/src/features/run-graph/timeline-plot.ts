import { stackOrder } from '../../ui/display-state.ts'
import { formatDuration } from '../../ui/time-format.ts'
import { drawStateIcon } from './draw-state-icon.ts'
import { drawTimeAxis } from './draw-time-axis.ts'
import type { OverviewShapes } from './overview-bitmap.ts'
import { type Frame, overviewNodesMin, type Plot } from './plot.ts'
import { neighbours, type Scene } from './scene.ts'

const rowHeight = 26
const axisHeight = 30
const barShare = 0.62
/** Row height in pixels that text needs. */
const textRowHeightMin = 12
const gap = 6

interface TimelineOptions {
  /** Current end of bars that still run. */
  readonly present: number
  /** Formats a tick. */
  formatTick(at: number, style: 'milli' | 'second' | 'clock' | 'minute'): string
}

/** Draws one row per node by time, in order of start. */
export function timelinePlot(scene: Scene, { present, formatTick: tell }: TimelineOptions): Plot {
  const { starts, ends, nodes, displayStates: looks } = scene
  const begin = starts.reduce((least, each) => Math.min(least, each), starts[0] ?? present)
  const endOf = (index: number): number => {
    const end = ends[index] as number
    // A node that has not started has no length.
    if (Number.isNaN(end))
      return looks[index] === 'running' || looks[index] === 'cancelling' ? Math.max(present, starts[index] as number) : (starts[index] as number)
    return end
  }
  let last = begin + 1
  for (let index = 0; index < nodes.length; index++) last = Math.max(last, endOf(index))
  const overview: OverviewShapes = {
    x: starts.map((each) => each - begin),
    y: Float64Array.from(nodes, (_, index) => (index + (1 - barShare) / 2) * rowHeight),
    width: Float64Array.from(nodes, (_, index) => endOf(index) - (starts[index] as number)),
    height: rowHeight * barShare,
    colour: Uint8Array.from(looks, (displayState) => stackOrder.indexOf(displayState)),
    from: new Uint32Array(),
    to: new Uint32Array(),
  }
  const boxOf = (index: number) => ({
    x: (starts[index] as number) - begin,
    y: index * rowHeight,
    width: endOf(index) - (starts[index] as number),
    height: rowHeight,
  })

  return {
    extent: {
      width: last - begin,
      height: nodes.length * rowHeight,
      // Text is to the right of its bar.
      margin: { top: axisHeight + 6, right: 150, bottom: 10, left: 14 },
      // The highest zoom shows one millisecond.
      kxMax: 20,
      kyMax: 1,
      uniformScale: false,
    },
    legibleScale: { kx: 0, ky: 0.8 },
    boxOf,
    nodeAt(_x, y) {
      const index = Math.floor(y / rowHeight)
      return index >= 0 && index < nodes.length ? index : undefined
    },
    nextNode(from, step) {
      if (step === 'up' || step === 'down') return nodes[from + (step === 'up' ? -1 : 1)] && from + (step === 'up' ? -1 : 1)
      return neighbours(scene, from, step === 'left' ? 'before' : 'after')[0]
    },
    draw(frame) {
      const { camera, size, context, palette, emphasis } = frame
      const height = rowHeight * camera.ky
      const first = Math.max(0, Math.floor(camera.y / rowHeight))
      const end = Math.min(nodes.length, Math.ceil((camera.y + size.height / camera.ky) / rowHeight))
      drawTimeAxis(frame, { begin, present, marks: scene.stateChanges, formatTick: tell, part: 'lines' })
      for (const index of [emphasis.hovered, emphasis.selected]) {
        if (index === undefined) continue
        context.fillStyle = index === emphasis.selected ? palette.wash : palette.sunken
        context.fillRect(0, (index * rowHeight - camera.y) * camera.ky, size.width, Math.max(2, height))
      }
      if (emphasis.selected !== undefined) drawLinks(frame, emphasis.selected)
      const isFar = height < textRowHeightMin && nodes.length > overviewNodesMin
      if (isFar) frame.drawOverview(overview)
      for (let index = first; index < end; index++) {
        if (isFar && index !== emphasis.selected && index !== emphasis.hovered) continue
        context.globalAlpha = emphasis.found && !emphasis.found.has(index) ? 0.22 : 1
        drawRow(frame, index, height)
      }
      context.globalAlpha = 1
      drawTimeAxis(frame, { begin, present, marks: scene.stateChanges, formatTick: tell, part: 'names' })
    },
  }

  function drawRow({ context, camera, size, palette, emphasis }: Frame, index: number, height: number): void {
    const displayState = looks[index]
    const node = nodes[index]
    if (!displayState || !node) return
    const left = ((starts[index] as number) - begin - camera.x) * camera.kx
    const width = Math.max(3, (endOf(index) - (starts[index] as number)) * camera.kx)
    const top = (index * rowHeight - camera.y) * camera.ky
    const bar = Math.max(1, height * barShare)
    context.fillStyle = palette.fill[displayState]
    if (bar < 5) context.fillRect(left, top, width, bar)
    else {
      context.beginPath()
      context.roundRect(left, top + (height - bar) / 2, width, bar, Math.min(4, bar / 4))
      context.fill()
      if (node.kind === 'flow-run') {
        context.strokeStyle = palette.colour[displayState]
        context.lineWidth = 1.5
        context.stroke()
      }
    }
    if (height < textRowHeightMin && index !== emphasis.selected && index !== emphasis.hovered) return
    const middle = top + Math.max(height, 2) / 2
    const text = index === emphasis.hovered ? `${node.label} · ${formatDuration((endOf(index) - (starts[index] as number)) / 1000)}` : node.label
    context.font = `${Math.min(12, Math.max(10.5, height * 0.75))}px ${palette.font}`
    context.textBaseline = 'middle'
    const needed = context.measureText(text).width + gap * 2 + 16
    const after = Math.max(gap, left + width + gap)
    const fitsAfter = after + needed <= size.width
    const x = fitsAfter ? after : Math.max(gap, left - needed)
    if (!fitsAfter || height < textRowHeightMin) {
      // Above a bar, or on rows without text, the label gets a background.
      context.fillStyle = palette.surface
      context.fillRect(x - 3, middle - 9, needed, 18)
    }
    drawStateIcon(context, displayState, x + 6, middle, 10, palette.colour[displayState], palette.surface)
    context.fillStyle = palette.ink
    context.fillText(text, x + 16, middle + 0.5)
  }

  /** Draws lines from the ends of upstream nodes to its start, and from its end to the starts of downstream nodes. */
  function drawLinks({ context, camera, palette }: Frame, index: number): void {
    context.strokeStyle = palette.accent
    context.lineWidth = 1.5
    const x = (at: number) => (at - begin - camera.x) * camera.kx
    const y = (row: number) => ((row + 0.5) * rowHeight - camera.y) * camera.ky
    const link = (before: number, after: number) => {
      const [fromX, toX] = [x(endOf(before)), x(starts[after] as number)]
      const bend = Math.max(12, Math.abs(toX - fromX) / 2)
      context.beginPath()
      context.moveTo(fromX, y(before))
      context.bezierCurveTo(fromX + bend, y(before), toX - bend, y(after), toX, y(after))
      context.stroke()
    }
    const [before, after] = [neighbours(scene, index, 'before'), neighbours(scene, index, 'after')]
    context.globalAlpha = before.length + after.length > 40 ? 0.3 : 0.8
    for (const parent of before) link(parent, index)
    for (const child of after) link(index, child)
    context.globalAlpha = 1
  }
}
