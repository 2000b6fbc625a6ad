import { stackOrder } from '../../ui/display-state.ts'
import type { Camera, Size } from './camera.ts'
import { drawOverviewInWorker } from './graph-worker-client.ts'
import type { OverviewShapes } from './overview-bitmap.ts'
import type { Palette } from './plot.ts'

/** As much again on every side, so that a drag does not run out of picture before the next one is there. */
const marginShare = 0.4
/** A picture of four times the pixels of a fine screen takes too much memory, and nobody sees the difference from so far. */
const pixelRatioMax = 1.5

interface CachedOverview {
  readonly bitmap: ImageBitmap
  readonly shapes: OverviewShapes
  readonly camera: Camera
  readonly size: Size
  readonly palette: Palette
  readonly found: ReadonlySet<number> | undefined
}

interface OverviewRequest {
  readonly shapes: OverviewShapes
  readonly camera: Camera
  readonly size: Size
  readonly palette: Palette
  readonly found: ReadonlySet<number> | undefined
}

/**
 * Ten thousand blocks and twice as many lines take longer to draw than a frame lasts. So they are drawn beside the page, somewhat larger than
 * the screen, and the page moves the picture; a sharper one follows when it is ready.
 */
export class OverviewCache {
  #cached: CachedOverview | undefined
  #isDrawing = false
  readonly #onReady: () => void

  constructor(onPicture: () => void) {
    this.#onReady = onPicture
  }

  /** Draws the picture as well as there is one; whether it is the one that was wanted, or near enough. */
  draw(context: CanvasRenderingContext2D, wanted: OverviewRequest): boolean {
    const taken = this.#cached
    if (!taken || !this.#covers(taken, wanted)) this.#request(wanted)
    if (!taken) return false
    const { camera } = wanted
    const width = (taken.size.width / taken.camera.kx) * camera.kx
    const height = (taken.size.height / taken.camera.ky) * camera.ky
    context.drawImage(taken.bitmap, (taken.camera.x - camera.x) * camera.kx, (taken.camera.y - camera.y) * camera.ky, width, height)
    return taken.shapes === wanted.shapes
  }

  close(): void {
    this.#cached?.bitmap.close()
    this.#cached = undefined
  }

  #covers(taken: CachedOverview, { shapes, camera, size, palette, found }: OverviewRequest): boolean {
    if (taken.shapes !== shapes || taken.palette !== palette || taken.found !== found) return false
    if (Math.abs(taken.camera.kx / camera.kx - 1) > 0.001 || Math.abs(taken.camera.ky / camera.ky - 1) > 0.001) return false
    const left = (camera.x - taken.camera.x) * camera.kx
    const top = (camera.y - taken.camera.y) * camera.ky
    return left >= 0 && top >= 0 && left + size.width <= taken.size.width && top + size.height <= taken.size.height
  }

  #request({ shapes, camera, size, palette, found }: OverviewRequest): void {
    if (this.#isDrawing) return
    this.#isDrawing = true
    const larger = { width: size.width * (1 + 2 * marginShare), height: size.height * (1 + 2 * marginShare) }
    const from = { ...camera, x: camera.x - (size.width * marginShare) / camera.kx, y: camera.y - (size.height * marginShare) / camera.ky }
    void drawOverviewInWorker(shapes, {
      camera: from,
      size: larger,
      ratio: Math.min(devicePixelRatio, pixelRatioMax),
      colours: stackOrder.map((displayState) => palette.fill[displayState]),
      lineColour: palette.edge,
      faint: found && Uint8Array.from(shapes.x, (_, index) => (found.has(index) ? 0 : 1)),
    }).then((bitmap) => {
      this.#isDrawing = false
      this.#cached?.bitmap.close()
      this.#cached = { bitmap, shapes, camera: from, size: larger, palette, found }
      this.#onReady()
    })
  }
}
