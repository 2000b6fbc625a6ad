import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import type { Camera, Size } from './camera.ts'
import { OverviewCache } from './overview-cache.ts'
import { readPalette } from './palette.ts'
import type { Emphasis, Palette, Plot } from './plot.ts'

export interface CanvasState {
  plot: Plot
  camera: Camera
  size: Size
  emphasis: Emphasis
}

/** Draws once per frame and only after a change. Camera moves bypass React. */
export function usePainter(canvas: RefObject<HTMLCanvasElement | null>, painted: CanvasState, onSize: (size: Size) => void): () => void {
  const palette = useRef<Palette>(undefined)
  const frameId = useRef(0)
  const overview = useRef<OverviewCache>(undefined)
  const again = useRef(() => {})
  const paint = useCallback(() => {
    frameId.current = 0
    const element = canvas.current
    const context = element?.getContext('2d', { alpha: false })
    const { plot, camera, size, emphasis } = painted
    if (!element || !context || size.width === 0) return
    palette.current ??= readPalette(element)
    const ratio = devicePixelRatio
    if (element.width !== Math.round(size.width * ratio) || element.height !== Math.round(size.height * ratio)) {
      element.width = Math.round(size.width * ratio)
      element.height = Math.round(size.height * ratio)
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.fillStyle = palette.current.surface
    context.fillRect(0, 0, size.width, size.height)
    const colours = palette.current
    let isWhole = true
    overview.current ??= new OverviewCache(() => again.current())
    const pictures = overview.current
    plot.draw({
      context,
      camera,
      size,
      palette: colours,
      emphasis,
      drawOverview(shapes) {
        isWhole = pictures.draw(context, { shapes, camera, size, palette: colours, found: emphasis.found })
      },
    })
    if (isWhole) element.dataset.drawn = 'true'
  }, [canvas, painted])
  const repaint = useCallback(() => {
    if (frameId.current === 0) frameId.current = requestAnimationFrame(paint)
  }, [paint])
  again.current = repaint

  useLayoutEffect(() => {
    const element = canvas.current
    if (!element) return
    const measure = () => onSize({ width: element.clientWidth, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [canvas, onSize])
  useEffect(() => {
    const themes = new MutationObserver(() => {
      palette.current = undefined
      repaint()
    })
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => {
      themes.disconnect()
      cancelAnimationFrame(frameId.current)
      frameId.current = 0
      overview.current?.close()
      overview.current = undefined
    }
  }, [repaint])
  return repaint
}
