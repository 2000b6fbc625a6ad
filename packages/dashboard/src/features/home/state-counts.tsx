import { Link } from '@tanstack/react-router'
import { type DisplayState, displayStateLabel, stackOrder } from '../../ui/display-state.ts'
import { StateIcon } from '../../ui/state-badge.tsx'

/** Shown even at zero. */
const alwaysShown: readonly DisplayState[] = ['failed', 'late', 'running', 'completed']

interface StateCountsProps {
  readonly counts: ReadonlyMap<DisplayState, number> | undefined
  readonly since: string
}

/** Counts by state. Legend of the chart and links to the runs. */
export function StateCounts({ counts, since }: StateCountsProps) {
  const shown = stackOrder.filter((displayState) => alwaysShown.includes(displayState) || (counts?.get(displayState) ?? 0) > 0)
  return (
    <ul className="flex flex-wrap gap-x-6 gap-y-2">
      {shown.map((displayState) => (
        <li key={displayState}>
          <Link
            to="/runs"
            search={displayState === 'scheduled' ? { state: ['Scheduled'], sort: 'soonest' } : { state: [displayStateLabel(displayState)], since }}
            className="group block rounded-sm"
          >
            <span className={`block font-semibold text-xl leading-6 ${counts?.get(displayState) ? '' : 'text-faint'}`}>
              {counts ? (counts.get(displayState) ?? 0).toLocaleString() : '–'}
            </span>
            <span className="flex items-center gap-1.5 text-soft text-sm group-hover:text-accent group-hover:underline">
              <StateIcon displayState={displayState} size={12} />
              {displayStateLabel(displayState)}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
