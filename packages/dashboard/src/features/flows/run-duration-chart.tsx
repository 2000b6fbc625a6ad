import type { RunMark } from '@millrace/contracts/latest-runs.ts'
import { Link } from '@tanstack/react-router'
import { displayStateLabel, stateFill, toDisplayState } from '../../ui/display-state.ts'
import { usePreferences } from '../../ui/preferences.ts'
import { formatDuration, formatTime, toMillis } from '../../ui/time-format.ts'

const height = 72

/** Bars of recent runs by duration and final state, newest on the right. */
export function RunDurationChart({ runs }: { readonly runs: readonly RunMark[] }) {
  const preferences = usePreferences()
  const ordered = runs.toReversed()
  const most = Math.max(...runs.map(({ total_run_time }) => total_run_time), 0.001)
  const first = ordered[0]?.expected_start_time
  const last = ordered.at(-1)?.expected_start_time
  return (
    <figure className="px-3.5 pt-3 pb-2">
      <div className="flex items-start gap-2">
        <ul aria-label="Duration of recent runs" className="flex min-w-0 flex-1 items-end border-b border-line" style={{ height }}>
          {ordered.map((run) => {
            const displayState = toDisplayState(run.state_type, run.state_name)
            const at = run.start_time ?? run.expected_start_time
            const barLabel = [
              run.name,
              run.state_name ?? displayStateLabel(displayState),
              at && formatTime(toMillis(at), 'minute', preferences),
              formatDuration(run.total_run_time),
            ]
              .filter(Boolean)
              .join(' · ')
            return (
              <li key={run.id} className="flex h-full min-w-0 max-w-6 flex-1">
                <Link
                  to="/runs/flow-run/$id"
                  params={{ id: run.id }}
                  aria-label={barLabel}
                  title={barLabel}
                  className="flex w-full items-end px-px hover:brightness-110"
                >
                  <span
                    className="block w-full rounded-t-[2px]"
                    style={{ height: Math.max(3, (run.total_run_time / most) * (height - 2)), background: stateFill(displayState) }}
                  />
                </Link>
              </li>
            )
          })}
        </ul>
        <span className="text-faint text-xs">{formatDuration(most)}</span>
      </div>
      <figcaption className="flex justify-between pt-1 text-faint text-xs">
        <span>{first && formatTime(toMillis(first), 'minute', preferences)}</span>
        <span>{last && formatTime(toMillis(last), 'minute', preferences)}</span>
      </figcaption>
    </figure>
  )
}
