import type { RunMark } from '@millrace/contracts/latest-runs.ts'
import { Link } from '@tanstack/react-router'
import { displayStateLabel, stateFill, toDisplayState } from '../../ui/display-state.ts'
import { usePreferences } from '../../ui/preferences.ts'
import { formatDuration, formatTime, toMillis } from '../../ui/time-format.ts'
import { barHeights } from './bar-heights.ts'

const height = 20

/** Small bars of recent runs by duration and final state, newest on the right. Each links to its run. */
export function RunSparkline({ runs, label }: { readonly runs: readonly RunMark[] | undefined; readonly label: string }) {
  const preferences = usePreferences()
  if (!runs) return <span className="block" style={{ height }} />
  if (runs.length === 0) return <span className="text-faint text-sm">No runs</span>
  const ordered = runs.toReversed()
  const heights = barHeights(ordered, height)
  return (
    <ul aria-label={`Recent runs of ${label}`} className="flex items-end" style={{ height }}>
      {ordered.map((run, index) => {
        const displayState = toDisplayState(run.state_type, run.state_name)
        const at = run.start_time ?? run.expected_start_time
        const parts = [run.name, run.state_name ?? displayStateLabel(displayState), at && formatTime(toMillis(at), 'minute', preferences)]
        if (run.total_run_time > 0) parts.push(formatDuration(run.total_run_time))
        const barLabel = parts.filter(Boolean).join(' · ')
        return (
          <li key={run.id} className="flex h-full">
            <Link
              to="/runs/flow-run/$id"
              params={{ id: run.id }}
              aria-label={barLabel}
              title={barLabel}
              className="flex h-full w-[9px] items-end px-px hover:brightness-110"
            >
              <span className="block w-full rounded-[1.5px]" style={{ height: heights[index], background: stateFill(displayState) }} />
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
