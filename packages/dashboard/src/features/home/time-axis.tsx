import { usePreferences } from '../../ui/preferences.ts'
import { formatTime } from '../../ui/time-format.ts'
import { useWidth } from '../../ui/use-width.ts'
import { axisTimes, type TimeWindow } from './window.ts'

const labelWidth = 84

export function TimeAxis({ window }: { readonly window: TimeWindow }) {
  const choice = usePreferences()
  const [frame, width] = useWidth<HTMLDivElement>()
  const offsetSeconds = -new Date(window.start).getTimezoneOffset() * 60
  const days = window.end - window.start > 3 * 86_400_000
  return (
    <div ref={frame} aria-hidden="true" className="relative h-4 text-faint text-xs">
      {axisTimes(window, Math.max(2, width / labelWidth), offsetSeconds).map((at) => (
        <span key={at} className="absolute whitespace-nowrap" style={{ left: `${(100 * (at - window.start)) / (window.end - window.start)}%` }}>
          {formatTime(at, days ? 'day' : 'clock', choice)}
        </span>
      ))}
    </div>
  )
}
