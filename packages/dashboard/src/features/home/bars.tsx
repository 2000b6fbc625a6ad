import type { HistoryResponse } from '@millrace/contracts/history.ts'
import { Link } from '@tanstack/react-router'
import { usePreferences } from '../../ui/preferences.ts'
import { lookWord, type StateLook, stackOrder, stateFill } from '../../ui/state-look.ts'
import { formatTime, toMillis } from '../../ui/time-format.ts'
import { countsOf } from './bucket-counts.ts'
import type { TimeWindow } from './window.ts'

const height = 96

interface Bar {
  readonly start: string
  readonly end: string
  readonly counts: Map<StateLook, number>
  readonly total: number
}

/** Runs by interval and state. A bar leads to its runs. */
export function Bars({ buckets, window }: { readonly buckets: readonly HistoryResponse[]; readonly window: TimeWindow }) {
  const choice = usePreferences()
  const bars = buckets.map((bucket): Bar => {
    const counts = countsOf([bucket])
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
          const label = `${formatTime(from, 'minute', choice)} to ${formatTime(toMillis(bar.end), 'clock', choice)}: ${described(bar)}`
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
                {stackOrder.map((look) => {
                  const count = bar.counts.get(look)
                  return count ? (
                    <span
                      key={look}
                      className="block min-h-[2px] shrink-0 rounded-[1.5px] group-hover:brightness-110"
                      style={{ height: Math.max(2, (count / most) * (height - 4)), background: stateFill(look) }}
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

const described = ({ counts, total }: Bar): string =>
  `${total} ${total === 1 ? 'run' : 'runs'} (${stackOrder.flatMap((look) => (counts.get(look) ? [`${counts.get(look)} ${lookWord(look).toLowerCase()}`] : [])).join(', ')})`
