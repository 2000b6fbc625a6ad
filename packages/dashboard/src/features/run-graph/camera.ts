/** The visible part of a plot: its upper left point and pixels per unit. */
export interface Camera {
  readonly x: number
  readonly y: number
  readonly kx: number
  readonly ky: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** Limits of a camera over a plot. */
export interface PlotBounds extends Size {
  /** Padding in pixels. */
  readonly margin: { readonly top: number; readonly right: number; readonly bottom: number; readonly left: number }
  readonly kxMax: number
  readonly kyMax: number
  /** True for a map, whose axes share one scale; false for a chart. */
  readonly uniformScale: boolean
}

/** Fits and centres the whole plot, never above its natural size. */
export function fitCamera(extent: PlotBounds, size: Size): Camera {
  const { margin } = extent
  const room = { width: Math.max(1, size.width - margin.left - margin.right), height: Math.max(1, size.height - margin.top - margin.bottom) }
  const most = { kx: room.width / Math.max(extent.width, 1e-9), ky: room.height / Math.max(extent.height, 1e-9) }
  const ky = Math.min(extent.kyMax, most.ky, extent.uniformScale ? most.kx : Number.POSITIVE_INFINITY)
  const kx = extent.uniformScale ? ky : Math.min(extent.kxMax, most.kx)
  const free = {
    x: extent.uniformScale ? (room.width - extent.width * kx) / 2 : 0,
    y: extent.uniformScale ? (room.height - extent.height * ky) / 2 : 0,
  }
  return { kx, ky, x: -(margin.left + free.x) / kx, y: -(margin.top + free.y) / ky }
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))

/** Zooms by a factor around the pointer. */
export function zoomCamera(camera: Camera, extent: PlotBounds, size: Size, at: { readonly x: number; readonly y: number }, factor: number): Camera {
  const fitted = fitCamera(extent, size)
  const kx = clamp(camera.kx * factor, fitted.kx / 2, extent.kxMax)
  const ky = extent.uniformScale ? kx : clamp(camera.ky * factor, fitted.ky, extent.kyMax)
  return clampCamera({ kx, ky, x: camera.x + at.x / camera.kx - at.x / kx, y: camera.y + at.y / camera.ky - at.y / ky }, extent, size)
}

export const panCamera = (camera: Camera, extent: PlotBounds, size: Size, dx: number, dy: number): Camera =>
  clampCamera({ ...camera, x: camera.x - dx / camera.kx, y: camera.y - dy / camera.ky }, extent, size)

/** Keeps part of the plot visible. */
function clampCamera(camera: Camera, extent: PlotBounds, size: Size): Camera {
  const edge = 80
  return {
    ...camera,
    x: clamp(camera.x, (edge - size.width) / camera.kx, extent.width - edge / camera.kx),
    y: clamp(camera.y, (edge - size.height) / camera.ky, extent.height - edge / camera.ky),
  }
}

/** Centres a point, zoomed in at least until text is readable. */
export function centerCamera(camera: Camera, extent: PlotBounds, size: Size, box: Box, least: { readonly kx: number; readonly ky: number }): Camera {
  const kx = clamp(Math.max(camera.kx, least.kx), 0, extent.kxMax)
  const ky = extent.uniformScale ? kx : clamp(Math.max(camera.ky, least.ky), 0, extent.kyMax)
  const middle = { x: box.x + Math.min(box.width, size.width / kx / 2) / 2, y: box.y + box.height / 2 }
  return { kx, ky, x: middle.x - size.width / 2 / kx, y: middle.y - size.height / 2 / ky }
}

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Whether a point is visible. */
export const isVisible = (camera: Camera, size: Size, box: Box): boolean => {
  const left = (box.x - camera.x) * camera.kx
  const top = (box.y - camera.y) * camera.ky
  return left >= 0 && top >= 0 && left + Math.min(box.width * camera.kx, size.width / 2) <= size.width && top + box.height * camera.ky <= size.height
}
