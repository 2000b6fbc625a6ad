import type { ReactNode } from 'react'
import { type DisplayState, displayStateLabel } from '../../ui/display-state.ts'
import { StateIcon } from '../../ui/state-badge.tsx'

interface AttentionRowProps {
  readonly displayState: DisplayState
  /** Label of the shape, where it does not stand for a run state. */
  readonly label?: string
  readonly run: ReactNode
  readonly aside: ReactNode
  readonly children: ReactNode
}

/** Row of the attention list: item, reason and an aside. */
export function AttentionRow({ displayState, label = displayStateLabel(displayState), run, aside, children }: AttentionRowProps) {
  return (
    <li className="grid grid-cols-[auto_1fr_auto] items-center gap-x-2.5 border-b border-line px-3.5 py-1.5 last:border-b-0 md:grid-cols-[auto_minmax(0,20rem)_minmax(0,1fr)_auto] lg:grid-cols-[auto_minmax(0,26rem)_minmax(0,1fr)_auto]">
      <StateIcon displayState={displayState} label={label} />
      <div className="min-w-0">{run}</div>
      <p className="order-last col-span-2 col-start-2 truncate text-soft md:order-none md:col-span-1">{children}</p>
      <span className="justify-self-end whitespace-nowrap text-faint text-sm">{aside}</span>
    </li>
  )
}
