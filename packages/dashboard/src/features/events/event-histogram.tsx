import type { EventCount } from '@millrace/contracts/event.ts'
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { usePreferences } from '../../ui/preferences.ts'
import { formatTime, toMillis } from '../../ui/time-format.ts'

const height = 72

interface EventHistogramProps {
  readonly counts: readonly EventCount[]
  /** Range in milliseconds. */
  onRange(since: number, until: number): void
}

/** Events per time bucket. A click or a drag over bars selects the time range. */
export function EventHistogram({ counts, onRange }: EventHistogramProps) {
  const preferences = usePreferences()
  const [drag, setDrag] = useState<readonly [from: number, to: number]>()
  const list = useRef<HTMLUListElement>(null)
  const most = Math.max(1, ...counts.map(({ count }) => count))
  const first = drag && Math.min(...drag)
  const last = drag && Math.max(...drag)

  const choose = (from: number, to: number) => {
    const [start, end] = [counts[Math.min(from, to)], counts[Math.max(from, to)]]
    // `end_time` is inclusive; the next bucket starts a millisecond later.
    if (start && end) onRange(toMillis(start.start_time), toMillis(end.end_time) + 1)
  }
  const placeAt = (event: PointerEvent): number => {
    const box = list.current?.getBoundingClientRect()
    if (!box || box.width === 0) return 0
    return Math.max(0, Math.min(counts.length - 1, Math.floor(((event.clientX - box.left) / box.width) * counts.length)))
  }
  const step = (event: KeyboardEvent, index: number) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (move === undefined) return
    event.preventDefault()
    list.current?.querySelectorAll('button')[index + move]?.focus()
  }

  return (
    <ul
      ref={list}
      aria-label="Events by time"
      className="relative flex touch-pan-y select-none items-end border-b border-line"
      style={{ height }}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        const at = placeAt(event)
        setDrag([at, at])
      }}
      onPointerMove={(event) => drag && setDrag([drag[0], placeAt(event)])}
      onPointerUp={() => {
        if (drag && drag[0] !== drag[1]) choose(...drag)
        setDrag(undefined)
      }}
      onPointerLeave={() => setDrag(undefined)}
    >
      {counts.map(({ start_time, end_time, count }, index) => {
        const label = `${formatTime(toMillis(start_time), 'minute', preferences)} to ${formatTime(toMillis(end_time), 'clock', preferences)}: ${count.toLocaleString()} ${count === 1 ? 'event' : 'events'}`
        const isWithin = first !== undefined && last !== undefined && first !== last && index >= first && index <= last
        return (
          <li key={start_time} className={`h-full min-w-0 flex-1 ${isWithin ? 'bg-wash' : ''}`}>
            <button
              type="button"
              aria-label={label}
              title={label}
              tabIndex={index === 0 ? 0 : -1}
              onClick={() => choose(index, index)}
              onKeyDown={(event) => step(event, index)}
              className="group flex h-full w-full items-end px-px"
            >
              <span
                className={`block w-full rounded-t-[1.5px] ${isWithin ? 'bg-accent' : 'bg-accent/55 group-hover:bg-accent'}`}
                style={{ height: count === 0 ? 0 : Math.max(2, (count / most) * (height - 6)) }}
              />
            </button>
          </li>
        )
      })}
    </ul>
  )
}
