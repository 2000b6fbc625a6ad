import type { DisplayState } from '../../ui/display-state.ts'
import type { Box, Camera, PlotBounds, Size } from './camera.ts'
import type { OverviewShapes } from './overview-bitmap.ts'

/** Highlights of a drawing. */
export interface Emphasis {
  readonly selected: number | undefined
  readonly hovered: number | undefined
  /** Matches of the search; other nodes are faded. Undefined without a search. */
  readonly found: ReadonlySet<number> | undefined
}

/** Theme colours for the canvas. */
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
  /** Draws the cached bitmap of what takes longer than a frame. */
  drawOverview(shapes: OverviewShapes): void
}

export type Direction = 'up' | 'down' | 'left' | 'right'

/** Above this number, nodes too small for text are drawn as one bitmap. */
export const overviewNodesMin = 1500

/** Draws a graph and finds nodes by position. */
export interface Plot {
  readonly extent: PlotBounds
  /** Lowest zoom at which text is drawn. */
  readonly legibleScale: { readonly kx: number; readonly ky: number }
  boxOf(index: number): Box
  /** The node at a point, within a tolerance in plot units. */
  nodeAt(x: number, y: number, slack: { readonly x: number; readonly y: number }): number | undefined
  /** The node that an arrow key selects. */
  nextNode(from: number, nextNode: Direction): number | undefined
  draw(frame: Frame): void
}
