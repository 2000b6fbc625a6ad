import type { DisplayState } from '../../ui/display-state.ts'
import type { Box, Camera, PlotBounds, Size } from './camera.ts'
import type { OverviewShapes } from './overview-bitmap.ts'

/** What stands out in a drawing. */
export interface Emphasis {
  readonly selected: number | undefined
  readonly hovered: number | undefined
  /** Others step back; undefined when nothing is looked for. */
  readonly found: ReadonlySet<number> | undefined
}

/** The colours of the theme, as the canvas takes them. */
export interface Palette {
  readonly surface: string
  readonly sunken: string
  readonly line: string
  readonly rim: string
  readonly edge: string
  readonly ink: string
  readonly soft: string
  readonly faint: string
  readonly accent: string
  readonly wash: string
  readonly font: string
  readonly fill: Readonly<Record<DisplayState, string>>
  readonly colour: Readonly<Record<DisplayState, string>>
}

export interface Frame {
  readonly context: CanvasRenderingContext2D
  readonly camera: Camera
  readonly size: Size
  readonly palette: Palette
  readonly emphasis: Emphasis
  /** Draws what is too much for a frame as the picture that there is of it. */
  drawOverview(shapes: OverviewShapes): void
}

export type Direction = 'up' | 'down' | 'left' | 'right'

/** With more than this many nodes, those too small for words are drawn as one picture. */
export const overviewNodesMin = 1500

/** A way to draw a graph, and to find what is drawn. */
export interface Plot {
  readonly extent: PlotBounds
  /** The least zoom at which words are written. */
  readonly legibleScale: { readonly kx: number; readonly ky: number }
  boxOf(index: number): Box
  /** What is at a place of the plot, within some of its units. */
  nodeAt(x: number, y: number, slack: { readonly x: number; readonly y: number }): number | undefined
  /** Where an arrow key leads. */
  nextNode(from: number, nextNode: Direction): number | undefined
  draw(frame: Frame): void
}
