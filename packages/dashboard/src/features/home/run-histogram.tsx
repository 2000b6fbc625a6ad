import type { HistoryResponse } from '@millrace/contracts/history.ts'
import { Link } from '@tanstack/react-router'
import { type DisplayState, displayStateLabel, stackOrder, stateFill } from '../../ui/display-state.ts'
import { usePreferences } from '../../ui/preferences.ts'
import { formatTime, toMillis } from '../../ui/time-format.ts'
import { countByDisplayState } from './count-by-state.ts'
import type { TimeWindow } from './time-window.ts'

const height = 96

interface Bar {
  readonly start: string
  readonly end: string
  readonly counts: Map<DisplayState, number>
  readonly total: number
}

/** Runs by time bucket and state. Each bar links to its runs. */
export function RunHistogram({ buckets, window }: { readonly buckets: readonly HistoryResponse[]; readonly window: TimeWindow }) {
  const preferences = usePreferences()
  const bars = buckets.map((bucket): Bar => {
    const counts = countByDisplayState([bucket])
    return { start: bucket.interval_start, end: bucket.interval_end, counts, total: [...counts.values()].reduce((sum, count) => sum + count, 0) }
  })
  const most = Math.max(1, ...bars.map(({ total }) => total))
  const length = window.end - window.start
  return (
    <div className="relative" style={{ height }}>
      <span aria-hidden="true" className="absolute inset-x-0 bottom-0 border-b border-line" />
      <ul aria-label="Runs by time">
        {bars.map((bar) => {
          const from = toMillis(bar.start)
          const label = `${formatTime(from, 'minute', preferences)} to ${formatTime(toMillis(bar.end), 'clock', preferences)}: ${describeBar(bar)}`
          return bar.total === 0 ? null : (
            <li
              key={bar.start}
              className="absolute inset-y-0"
              style={{ left: `${(100 * (from - window.start)) / length}%`, width: `${(100 * (toMillis(bar.end) - from)) / length}%` }}
            >
              <Link
                to="/runs"
                search={{ since: bar.start, until: bar.end }}
                aria-label={label}
                title={label}
                className="group flex h-full flex-col-reverse gap-px px-px"
              >
                {stackOrder.map((displayState) => {
                  const count = bar.counts.get(displayState)
                  return count ? (
                    <span
                      key={displayState}
                      className="block min-h-[2px] shrink-0 rounded-[1.5px] group-hover:brightness-110"
                      style={{ height: Math.max(2, (count / most) * (height - 4)), background: stateFill(displayState) }}
                    />
                  ) : null
                })}
              </Link>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

const describeBar = ({ counts, total }: Bar): string =>
  `${total} ${total === 1 ? 'run' : 'runs'} (${stackOrder.flatMap((displayState) => (counts.get(displayState) ? [`${counts.get(displayState)} ${displayStateLabel(displayState).toLowerCase()}`] : [])).join(', ')})`
