import { usePreferences } from '../../ui/preferences.ts'
import { formatTime } from '../../ui/time-format.ts'
import { axisTimes, type TimeWindow } from './time-window.ts'

const labelWidth = 84

interface TimeGridProps {
  readonly window: TimeWindow
  readonly width: number
  readonly present: number
}

/** Time axis: grid lines, labels and the current time. */
export function TimeGrid({ window, width, present }: TimeGridProps) {
  const preferences = usePreferences()
  const offsetSeconds = -new Date(window.start).getTimezoneOffset() * 60
  const length = window.end - window.start
  const left = (at: number) => `${(100 * (at - window.start)) / length}%`
  const days = length > 3 * 86_400_000
  return (
    <div aria-hidden="true" className="absolute inset-0 text-faint text-xs">
      {axisTimes(window, Math.max(2, width / labelWidth), offsetSeconds).map((at) => (
        <span key={at} className="absolute inset-y-0 border-line border-l" style={{ left: left(at) }}>
          <span className="absolute bottom-0 left-1 whitespace-nowrap leading-3.5">{formatTime(at, days ? 'day' : 'clock', preferences)}</span>
        </span>
      ))}
      <span className="-top-1 absolute bottom-5 border-accent border-l-[1.5px]" style={{ left: left(present) }}>
        <span className="-translate-x-1/2 -top-3.5 absolute left-0 whitespace-nowrap font-medium text-accent leading-3.5">now</span>
      </span>
    </div>
  )
}
