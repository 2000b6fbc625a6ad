import type { StateType } from '@millrace/contracts/state.ts'
import type { ReactNode } from 'react'
import { type DisplayState, displayStateLabel, stateColour, stateWash, toDisplayState } from './display-state.ts'

const knockout = { fill: 'none', stroke: 'var(--surface)', strokeWidth: 1.6, strokeLinecap: 'round', strokeLinejoin: 'round' } as const
const outline = { fill: 'none', stroke: 'currentColor', strokeWidth: 1.5, strokeLinecap: 'round' } as const

/** One shape per state: round is fine, square or pointed is a problem, hollow has not started. */
const stateIcons: Record<DisplayState, ReactNode> = {
  completed: (
    <>
      <circle cx="8" cy="8" r="6.5" />
      <path d="m5.2 8.2 2 2 3.7-4.2" {...knockout} />
    </>
  ),
  failed: (
    <>
      <rect x="1.8" y="1.8" width="12.4" height="12.4" rx="2.6" />
      <path d="m5.6 5.6 4.8 4.8M10.4 5.6l-4.8 4.8" {...knockout} />
    </>
  ),
  crashed: (
    <>
      <path d="M8 1.1 15.2 14H.8z" strokeLinejoin="round" stroke="currentColor" />
      <path d="M8 6v3.6M8 11.7h.01" {...knockout} />
    </>
  ),
  running: (
    <g className="origin-center animate-turn">
      <circle cx="8" cy="8" r="6.2" {...outline} />
      <path d="M8 8V2M8 8l5.2 3M8 8l-5.2 3" {...outline} />
      <circle cx="8" cy="8" r="1.9" />
    </g>
  ),
  pending: <circle cx="8" cy="8" r="6" {...outline} strokeDasharray="1.6 2.4" />,
  scheduled: <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.9V8l2.3 1.5" {...outline} strokeLinejoin="round" />,
  late: (
    <>
      <path d="M3 1.5h10v1.8c0 2.2-2.7 3.3-3.6 4.7.9 1.4 3.6 2.5 3.6 4.7v1.8H3v-1.8C3 10.5 5.7 9.4 6.6 8 5.7 6.6 3 5.5 3 3.3z" />
    </>
  ),
  paused: (
    <>
      <circle cx="8" cy="8" r="6" {...outline} />
      <path d="M6.3 5.8v4.4M9.7 5.8v4.4" {...outline} strokeWidth="1.8" />
    </>
  ),
  cancelled: (
    <>
      <circle cx="8" cy="8" r="6" {...outline} />
      <path d="m4 12 8-8" {...outline} />
    </>
  ),
  cancelling: (
    <>
      <circle cx="8" cy="8" r="6" {...outline} strokeDasharray="3 2" />
      <path d="m4.5 11.5 7-7" {...outline} />
    </>
  ),
}

interface StateIconProps {
  readonly displayState: DisplayState
  readonly size?: number
  readonly label?: string
}

export function StateIcon({ displayState, size = 14, label }: StateIconProps) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="currentColor"
      className="shrink-0"
      style={{ color: stateColour(displayState) }}
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
      aria-hidden={label === undefined}
    >
      {stateIcons[displayState]}
    </svg>
  )
}

interface BadgeProps {
  readonly type: StateType | null | undefined
  /** Name of the state as set by the client, shown unchanged. */
  readonly name?: string | null | undefined
  readonly pill?: boolean
}

/** State icon with its name; a pill in page titles. */
export function StateBadge({ type, name, pill = false }: BadgeProps) {
  const displayState = toDisplayState(type, name)
  const style = pill ? { background: stateWash(displayState), color: stateColour(displayState) } : { color: stateColour(displayState) }
  return (
    <span
      className={`inline-flex max-w-full min-w-0 items-center gap-1.5 font-medium ${pill ? 'rounded-full py-0.5 pr-2.5 pl-1.5' : ''}`}
      style={style}
      data-state={displayState}
    >
      <StateIcon displayState={displayState} />
      <span className="truncate">{name ?? displayStateLabel(displayState)}</span>
    </span>
  )
}
