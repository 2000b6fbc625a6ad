import { stackOrder } from '../../ui/display-state.ts'
import type { Camera, Size } from './camera.ts'
import { drawOverviewInWorker } from './graph-worker-client.ts'
import type { OverviewShapes } from './overview-bitmap.ts'
import type { Palette } from './plot.ts'

/** Margin around the screen, so that a drag stays within the bitmap until the next one is ready. */
const marginShare = 0.4
/** Above this size the bitmap takes too much memory for no visible difference. */
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
 * Ten thousand blocks and twice as many lines take longer to draw than a frame. A worker draws them into a bitmap somewhat larger than
 * the screen, and the page moves the bitmap until a sharper one is ready.
 */
export class OverviewCache {
  #cached: CachedOverview | undefined
  #isDrawing = false
  readonly #onReady: () => void

  constructor(onPicture: () => void) {
    this.#onReady = onPicture
  }

  /** Draws the best bitmap available. Returns whether it matches the view closely enough. */
  draw(context: CanvasRenderingContext2D, request: OverviewRequest): boolean {
    const taken = this.#cached
    if (!taken || !this.#covers(taken, request)) this.#request(request)
    if (!taken) return false
    const { camera } = request
    const width = (taken.size.width / taken.camera.kx) * camera.kx
    const height = (taken.size.height / taken.camera.ky) * camera.ky
    context.drawImage(taken.bitmap, (taken.camera.x - camera.x) * camera.kx, (taken.camera.y - camera.y) * camera.ky, width, height)
    return taken.shapes === request.shapes
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
