import { useNow } from './clock.ts'
import { usePreferences } from './preferences.ts'
import { formatDuration, formatRelative, formatTime, toMillis } from './time-format.ts'

interface TimeProps {
  readonly time: string | null | undefined
  /** `relative` for how long ago, the others for when. */
  readonly show?: 'relative' | 'minute' | 'second' | 'milli' | 'full'
  readonly className?: string
}

/** A moment in the chosen zone and clock; the whole of it, with the zone, when pointed at. */
export function TimeText({ time, show = 'minute', className }: TimeProps) {
  const preferences = usePreferences()
  const present = useNow(10)
  if (!time) return <span className={`text-faint ${className ?? ''}`}>–</span>
  const at = toMillis(time)
  return (
    <time
      dateTime={time}
      title={`${formatTime(at, 'full', preferences)} · ${formatRelative(at, present)}`}
      className={`whitespace-nowrap ${className ?? ''}`}
    >
      {show === 'relative' ? formatRelative(at, present) : formatTime(at, show, preferences)}
    </time>
  )
}

/** A length of time that is known. */
export function Duration({ seconds, className }: { readonly seconds: number | null | undefined; readonly className?: string }) {
  if (seconds === null || seconds === undefined) return <span className={`text-faint ${className ?? ''}`}>–</span>
  return (
    <span className={`whitespace-nowrap ${className ?? ''}`} title={`${seconds} s`}>
      {formatDuration(seconds)}
    </span>
  )
}

/** A length of time that is still growing, or shrinking towards a moment. */
export function Elapsed({ since, className }: { readonly since: string; readonly className?: string }) {
  const present = useNow(1)
  return <span className={`whitespace-nowrap ${className ?? ''}`}>{formatDuration(Math.round(Math.abs(present - toMillis(since)) / 1000))}</span>
}
