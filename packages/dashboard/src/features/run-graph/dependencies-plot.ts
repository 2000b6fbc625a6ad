import { stackOrder } from '../../ui/display-state.ts'
import type { Box } from './camera.ts'
import { drawEdges } from './draw-edges.ts'
import { drawStateIcon } from './draw-state-icon.ts'
import { createTextFitter } from './fit-text.ts'
import type { LayeredLayout } from './layered-layout.ts'
import type { OverviewShapes } from './overview-bitmap.ts'
import { type Direction, type Frame, overviewNodesMin, type Plot } from './plot.ts'
import { neighbours, type Scene } from './scene.ts'

const pitchX = 216
const pitchY = 36
const boxWidth = 168
const boxHeight = 26
/** Zoom below which boxes are plain blocks, and below which they have square corners. */
const textScaleMin = 0.45
const cornerScaleMin = 0.25
const font = 12

/** Draws dependencies in columns from left to right. */
export function dependenciesPlot(scene: Scene, { column, row, heights }: LayeredLayout): Plot {
  const rows = heights.reduce((most, each) => Math.max(most, each), 1)
  const xOf = (index: number) => (column[index] as number) * pitchX
  // Columns are centred on the tallest one.
  const yOf = (index: number) => ((row[index] as number) + (rows - (heights[column[index] as number] as number)) / 2) * pitchY
  const nodeByCell = new Map(scene.nodes.map((_, index) => [(column[index] as number) * rows + (row[index] as number), index]))
  const nodeAtCell = (atColumn: number, atRow: number) => nodeByCell.get(atColumn * rows + atRow)
  const positions = { x: Float64Array.from(scene.nodes, (_, index) => xOf(index)), y: Float64Array.from(scene.nodes, (_, index) => yOf(index)) }
  const overview: OverviewShapes = {
    ...positions,
    width: new Float64Array(scene.nodes.length).fill(boxWidth),
    height: boxHeight,
    colour: Uint8Array.from(scene.displayStates, (displayState) => stackOrder.indexOf(displayState)),
    from: scene.from,
    to: scene.to,
  }
  let words: ((text: string) => string) | undefined

  const boxOf = (index: number): Box => ({ x: xOf(index), y: yOf(index), width: boxWidth, height: boxHeight })
  return {
    extent: {
      width: Math.max(0, heights.length - 1) * pitchX + boxWidth,
      height: Math.max(0, rows - 1) * pitchY + boxHeight,
      margin: { top: 20, right: 20, bottom: 20, left: 20 },
      kxMax: 2,
      kyMax: 1,
      uniformScale: true,
    },
    legibleScale: { kx: 0.8, ky: 0.8 },
    boxOf,
    nodeAt(x, y, slack) {
      const atColumn = Math.floor((x + slack.x) / pitchX)
      const height = heights[atColumn]
      if (height === undefined || x - atColumn * pitchX > boxWidth + slack.x) return undefined
      const offset = ((rows - height) / 2) * pitchY
      const atRow = Math.floor((y - offset + slack.y) / pitchY)
      return y - offset - atRow * pitchY > boxHeight + slack.y ? undefined : nodeAtCell(atColumn, atRow)
    },
    nextNode(from, step) {
      const [here, there] = [column[from] as number, row[from] as number]
      if (step === 'up' || step === 'down') return nodeAtCell(here, there + (step === 'up' ? -1 : 1))
      const along = neighbours(scene, from, step === 'left' ? 'before' : 'after')
      if (along.length > 0) return along.sort((a, b) => Math.abs(yOf(a) - yOf(from)) - Math.abs(yOf(b) - yOf(from)))[0]
      return nearestInNextColumn(here, there, step)
    },
    draw(frame) {
      const { context, camera, emphasis } = frame
      words ??= createTextFitter(boxWidth - 34, (text) => {
        context.font = `${font}px ${frame.palette.font}`
        return context.measureText(text).width
      })
      if (camera.kx < textScaleMin && scene.nodes.length > overviewNodesMin) {
        frame.drawOverview(overview)
        drawEdges(frame, scene, positions, boxWidth, boxHeight, 'focus')
      } else {
        drawEdges(frame, scene, positions, boxWidth, boxHeight, 'all')
        drawBoxes(frame, words)
      }
      for (const index of [emphasis.hovered, emphasis.selected]) if (index !== undefined) drawRing(frame, boxOf(index), index === emphasis.selected)
    },
  }

  function drawBoxes(frame: Frame, cut: (text: string) => string): void {
    const { context, camera, size, emphasis } = frame
    for (let index = 0; index < scene.nodes.length; index++) {
      const left = ((positions.x[index] as number) - camera.x) * camera.kx
      const top = ((positions.y[index] as number) - camera.y) * camera.ky
      if (left > size.width || top > size.height || left + boxWidth * camera.kx < 0 || top + boxHeight * camera.ky < 0) continue
      context.globalAlpha = emphasis.found && !emphasis.found.has(index) ? 0.22 : 1
      drawBox(frame, scene, index, left, top, cut)
    }
    context.globalAlpha = 1
  }

  /** A node without dependents: the nearest node of the next column. */
  function nearestInNextColumn(here: number, there: number, step: Direction): number | undefined {
    const next = here + (step === 'left' ? -1 : 1)
    const height = heights[next]
    if (height === undefined) return undefined
    return nodeAtCell(next, Math.min(height - 1, Math.round((there / (heights[here] as number)) * height)))
  }
}

function drawBox({ context, camera, palette }: Frame, scene: Scene, index: number, left: number, top: number, words: (text: string) => string): void {
  const displayState = scene.displayStates[index]
  const node = scene.nodes[index]
  if (!displayState || !node) return
  const k = camera.kx
  if (k < cornerScaleMin) {
    context.fillStyle = palette.fill[displayState]
    context.fillRect(left, top, Math.max(2, boxWidth * k), Math.max(1.2, boxHeight * k))
    return
  }
  context.beginPath()
  context.roundRect(left, top, boxWidth * k, boxHeight * k, 6 * k)
  if (k < textScaleMin) {
    context.fillStyle = palette.fill[displayState]
    context.fill()
    return
  }
  context.fillStyle = palette.surface
  context.fill()
  context.strokeStyle = palette.edge
  context.lineWidth = 1
  context.stroke()
  if (node.kind === 'flow-run') {
    // A sub-flow has a second border.
    context.beginPath()
    context.roundRect(left + 2.5 * k, top + 2.5 * k, (boxWidth - 5) * k, (boxHeight - 5) * k, 4 * k)
    context.strokeStyle = palette.rim
    context.stroke()
  }
  drawStateIcon(context, displayState, left + 14 * k, top + (boxHeight / 2) * k, 11 * k, palette.colour[displayState], palette.surface)
  context.save()
  context.translate(left, top)
  context.scale(k, k)
  context.font = `${font}px ${palette.font}`
  context.textBaseline = 'middle'
  context.fillStyle = palette.ink
  context.fillText(words(node.label), 26, boxHeight / 2 + 0.5)
  if (node.artifacts.length > 0) {
    context.fillStyle = palette.accent
    context.fillRect(boxWidth - 6, 4, 3, 3)
  }
  context.restore()
}

function drawRing({ context, camera, palette }: Frame, box: Box, strong: boolean): void {
  context.strokeStyle = strong ? palette.accent : palette.edge
  context.lineWidth = strong ? 2.5 : 1.5
  context.beginPath()
  const width = Math.max(6, box.width * camera.kx)
  const height = Math.max(6, box.height * camera.ky)
  context.roundRect((box.x - camera.x) * camera.kx - 2, (box.y - camera.y) * camera.ky - 2, width + 4, height + 4, Math.min(8, 8 * camera.kx))
  context.stroke()
}
