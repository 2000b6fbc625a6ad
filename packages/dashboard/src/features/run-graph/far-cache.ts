import { stackOrder } from '../../ui/state-look.ts'
import type { Camera, Size } from './camera.ts'
import type { FarShapes } from './far-picture.ts'
import { drawElsewhere } from './graph-worker.ts'
import type { Palette } from './plot.ts'

/** As much again on every side, so that a drag does not run out of picture before the next one is there. */
const beyond = 0.4
/** A picture of four times the pixels of a fine screen takes too much memory, and nobody sees the difference from so far. */
const ratioMax = 1.5

interface Taken {
  readonly bitmap: ImageBitmap
  readonly shapes: FarShapes
  readonly camera: Camera
  readonly size: Size
  readonly palette: Palette
  readonly found: ReadonlySet<number> | undefined
}

interface Wanted {
  readonly shapes: FarShapes
  readonly camera: Camera
  readonly size: Size
  readonly palette: Palette
  readonly found: ReadonlySet<number> | undefined
}

/**
 * Ten thousand blocks and twice as many lines take longer to draw than a frame lasts. So they are drawn beside the page, somewhat larger than
 * the screen, and the page moves the picture; a sharper one follows when it is ready.
 */
export class FarCache {
  #taken: Taken | undefined
  #asking = false
  readonly #onPicture: () => void

  constructor(onPicture: () => void) {
    this.#onPicture = onPicture
  }

  /** Draws the picture as well as there is one; whether it is the one that was wanted, or near enough. */
  draw(context: CanvasRenderingContext2D, wanted: Wanted): boolean {
    const taken = this.#taken
    if (!taken || !this.#fits(taken, wanted)) this.#ask(wanted)
    if (!taken) return false
    const { camera } = wanted
    const width = (taken.size.width / taken.camera.kx) * camera.kx
    const height = (taken.size.height / taken.camera.ky) * camera.ky
    context.drawImage(taken.bitmap, (taken.camera.x - camera.x) * camera.kx, (taken.camera.y - camera.y) * camera.ky, width, height)
    return taken.shapes === wanted.shapes
  }

  close(): void {
    this.#taken?.bitmap.close()
    this.#taken = undefined
  }

  #fits(taken: Taken, { shapes, camera, size, palette, found }: Wanted): boolean {
    if (taken.shapes !== shapes || taken.palette !== palette || taken.found !== found) return false
    if (Math.abs(taken.camera.kx / camera.kx - 1) > 0.001 || Math.abs(taken.camera.ky / camera.ky - 1) > 0.001) return false
    const left = (camera.x - taken.camera.x) * camera.kx
    const top = (camera.y - taken.camera.y) * camera.ky
    return left >= 0 && top >= 0 && left + size.width <= taken.size.width && top + size.height <= taken.size.height
  }

  #ask({ shapes, camera, size, palette, found }: Wanted): void {
    if (this.#asking) return
    this.#asking = true
    const larger = { width: size.width * (1 + 2 * beyond), height: size.height * (1 + 2 * beyond) }
    const from = { ...camera, x: camera.x - (size.width * beyond) / camera.kx, y: camera.y - (size.height * beyond) / camera.ky }
    void drawElsewhere(shapes, {
      camera: from,
      size: larger,
      ratio: Math.min(devicePixelRatio, ratioMax),
      colours: stackOrder.map((look) => palette.fill[look]),
      lineColour: palette.edge,
      faint: found && Uint8Array.from(shapes.x, (_, index) => (found.has(index) ? 0 : 1)),
    }).then((bitmap) => {
      this.#asking = false
      this.#taken?.bitmap.close()
      this.#taken = { bitmap, shapes, camera: from, size: larger, palette, found }
      this.#onPicture()
    })
  }
}
