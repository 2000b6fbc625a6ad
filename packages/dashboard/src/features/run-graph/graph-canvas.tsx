import { type KeyboardEvent, type Ref, useCallback, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { type Camera, centerCamera, fitCamera, isVisible, panCamera, type Size, zoomCamera } from './camera.ts'
import type { Direction, Emphasis, Plot } from './plot.ts'
import { useGestures } from './use-gestures.ts'
import { type CanvasState, usePainter } from './use-painter.ts'

export interface GraphHandle {
  zoom(factor: number): void
  /** Scrolls and zooms to a node. */
  show(index: number): void
}

interface GraphCanvasProps {
  readonly plot: Plot
  readonly label: string
  readonly selected: number | undefined
  readonly found: ReadonlySet<number> | undefined
  /** Keeps the whole graph visible as it grows. */
  readonly follow: boolean
  /** The user moved the view, which ends following. */
  onMove(): void
  onFit(): void
  onSelect(index: number | undefined): void
  onOpen(index: number): void
  readonly ref: Ref<GraphHandle>
}

const directionByKey: Record<string, Direction> = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' }
const zoomStep = 1.4
const panStep = 80
const hitSlackPixels = 4
const panelWidth = 300
const panelBesideFrom = 560
const noEmphasis: Emphasis = { selected: undefined, hovered: undefined, found: undefined }

/** A plot with a camera that wheel, touch and keys move. The list view has the same content for screen readers. */
export function GraphCanvas({ plot, label, selected, found, follow, onMove, onFit, onSelect, onOpen, ref }: GraphCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  const [painted] = useState<CanvasState>(() => ({ plot, camera: { x: 0, y: 0, kx: 1, ky: 1 }, size, emphasis: noEmphasis }))
  const measured = useCallback(
    (next: Size) => setSize((current) => (current.width === next.width && current.height === next.height ? current : next)),
    [],
  )
  const repaint = usePainter(canvas, painted, measured)
  const hasCamera = useRef(false)
  const linked = useRef(selected)
  const shown = useRef((_index: number) => {})

  const moveCamera = useCallback(
    (camera: Camera) => {
      painted.camera = camera
      repaint()
    },
    [painted, repaint],
  )
  const move = (camera: Camera) => {
    onMove()
    moveCamera(camera)
  }
  useEffect(() => {
    Object.assign(painted, { plot, size })
    if ((follow || !hasCamera.current) && size.width > 0) {
      painted.camera = fitCamera(plot.extent, size)
      // A node selected by the URL is scrolled into view.
      if (!hasCamera.current && linked.current !== undefined) shown.current(linked.current)
      hasCamera.current = true
    }
    repaint()
  }, [plot, size, follow, painted, repaint])
  useEffect(() => {
    painted.emphasis = { ...painted.emphasis, selected, found }
    repaint()
  }, [selected, found, painted, repaint])

  const show = (index: number) => {
    const box = plot.boxOf(index)
    const { camera } = painted
    // The details cover the right side of a wide canvas, or the lower half of a narrow one.
    const { width, height } = painted.size
    const free = width > panelBesideFrom ? { width: width - panelWidth, height } : { width, height: height * 0.4 }
    if (isVisible(camera, free, box) && camera.ky >= plot.legibleScale.ky) return
    move(centerCamera(camera, plot.extent, free, box, plot.legibleScale))
  }
  shown.current = show
  const middle = () => ({ x: painted.size.width / 2, y: painted.size.height / 2 })
  const zoom = (factor: number) => move(zoomCamera(painted.camera, plot.extent, painted.size, middle(), factor))
  useImperativeHandle(ref, () => ({ zoom, show }))

  const at = ({ x, y }: { readonly x: number; readonly y: number }) => {
    const { camera } = painted
    return plot.nodeAt(x / camera.kx + camera.x, y / camera.ky + camera.y, { x: hitSlackPixels / camera.kx, y: hitSlackPixels / camera.ky })
  }
  const gestures = useGestures(canvas, {
    onPan: (dx, dy) => move(panCamera(painted.camera, plot.extent, painted.size, dx, dy)),
    onZoom: (point, factor) => move(zoomCamera(painted.camera, plot.extent, painted.size, point, factor)),
    onPress: (point) => onSelect(at(point)),
    onHover(point) {
      const hovered = point && at(point)
      if (canvas.current) canvas.current.style.cursor = hovered === undefined ? 'grab' : 'pointer'
      if (hovered === painted.emphasis.hovered) return
      painted.emphasis = { ...painted.emphasis, hovered }
      repaint()
    },
  })

  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const step = directionByKey[event.key]
    if (step && event.shiftKey) {
      const dx = step === 'left' ? panStep : step === 'right' ? -panStep : 0
      const dy = step === 'up' ? panStep : step === 'down' ? -panStep : 0
      move(panCamera(painted.camera, plot.extent, painted.size, dx, dy))
    } else if (step) {
      const next = selected === undefined ? 0 : plot.nextNode(selected, step)
      if (next !== undefined) {
        onSelect(next)
        show(next)
      }
    } else if (event.key === '+' || event.key === '=') zoom(zoomStep)
    else if (event.key === '-') zoom(1 / zoomStep)
    else if (event.key === '0') onFit()
    else if (event.key === 'Enter' && selected !== undefined) onOpen(selected)
    else if (event.key === 'Escape' && selected !== undefined) onSelect(undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: role application: the canvas handles keys itself
    <canvas
      ref={canvas}
      tabIndex={0}
      role="application"
      aria-label={label}
      aria-roledescription="graph"
      onKeyDown={press}
      {...gestures}
      className="absolute inset-0 size-full touch-none rounded-lg focus-visible:outline-offset-[-2px]"
    />
  )
}
