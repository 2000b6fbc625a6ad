import { type PointerEvent, type RefObject, useEffect, useRef } from 'react'

interface Point {
  readonly x: number
  readonly y: number
}

export interface GestureHandlers {
  onPan(dx: number, dy: number): void
  onZoom(at: Point, factor: number): void
  onPress(at: Point): void
  onHover(at: Point | undefined): void
}

/** A tap moves a few pixels. */
const pressSlackPixels = 4
const wheelStep = 0.0016

/** Turns wheel, drag and pinch gestures into camera moves. */
export function useGestures(element: RefObject<HTMLElement | null>, handlers: GestureHandlers) {
  const latest = useRef(handlers)
  latest.current = handlers
  const pointers = useRef(new Map<number, Point>())
  const travelled = useRef(0)

  useEffect(() => {
    const target = element.current
    if (!target) return
    // React's wheel listeners are passive and cannot prevent scrolling.
    const wheel = (event: WheelEvent) => {
      event.preventDefault()
      const scale = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
      if (event.shiftKey) return latest.current.onPan(-event.deltaX * scale, -event.deltaY * scale)
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return latest.current.onPan(-event.deltaX * scale, 0)
      latest.current.onZoom({ x: event.offsetX, y: event.offsetY }, Math.exp(-event.deltaY * scale * wheelStep * (event.ctrlKey ? 6 : 1)))
    }
    target.addEventListener('wheel', wheel, { passive: false })
    return () => target.removeEventListener('wheel', wheel)
  }, [element])

  const pointOf = (event: PointerEvent): Point => {
    const box = event.currentTarget.getBoundingClientRect()
    return { x: event.clientX - box.left, y: event.clientY - box.top }
  }
  const lift = (event: PointerEvent) => {
    const wasAlone = pointers.current.size === 1
    if (!pointers.current.delete(event.pointerId)) return
    if (wasAlone && travelled.current < pressSlackPixels && event.type === 'pointerup') latest.current.onPress(pointOf(event))
  }
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      if (pointers.current.size === 0) travelled.current = 0
      pointers.current.set(event.pointerId, pointOf(event))
    },
    onPointerMove(event: PointerEvent) {
      const at = pointOf(event)
      const previous = pointers.current.get(event.pointerId)
      if (!previous) return latest.current.onHover(at)
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1]
      pointers.current.set(event.pointerId, at)
      travelled.current += Math.hypot(at.x - previous.x, at.y - previous.y)
      if (travelled.current < pressSlackPixels) return
      if (!other) return latest.current.onPan(at.x - previous.x, at.y - previous.y)
      const middle = { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 }
      latest.current.onPan((at.x - previous.x) / 2, (at.y - previous.y) / 2)
      const before = Math.hypot(previous.x - other.x, previous.y - other.y)
      if (before > 0) latest.current.onZoom(middle, Math.hypot(at.x - other.x, at.y - other.y) / before)
    },
    onPointerUp: lift,
    onPointerCancel: lift,
    onPointerLeave: () => latest.current.onHover(undefined),
  }
}
