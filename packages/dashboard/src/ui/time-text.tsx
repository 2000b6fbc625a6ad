import { useNow } from './clock.ts'
import { usePreferences } from './preferences.ts'
import { formatDuration, formatRelative, formatTime, toMillis } from './time-format.ts'

interface TimeProps {
  readonly time: string | null | undefined
  /** `relative` shows the time since, the others the time itself. */
  readonly show?: 'relative' | 'minute' | 'second' | 'milli' | 'full'
  readonly className?: string
}

/** Time in the preferred zone and clock format. Its tooltip has the full time with the zone. */
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

/** Fixed duration. */
export function Duration({ seconds, className }: { readonly seconds: number | null | undefined; readonly className?: string }) {
  if (seconds === null || seconds === undefined) return <span className={`text-faint ${className ?? ''}`}>–</span>
  return (
    <span className={`whitespace-nowrap ${className ?? ''}`} title={`${seconds} s`}>
      {formatDuration(seconds)}
    </span>
  )
}

/** Duration up to now, or from now, updated live. */
export function Elapsed({ since, className }: { readonly since: string; readonly className?: string }) {
  const present = useNow(1)
  return <span className={`whitespace-nowrap ${className ?? ''}`}>{formatDuration(Math.round(Math.abs(present - toMillis(since)) / 1000))}</span>
}
