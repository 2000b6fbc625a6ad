import type { Schedule, SchedulePreview } from '@millrace/contracts/schedule.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { useNow } from '../../ui/clock.ts'
import { usePreferences } from '../../ui/preferences.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { formatRelative, formatTime, toMillis } from '../../ui/time-format.ts'

interface NextRunsProps {
  readonly schedule: Schedule | string
  readonly preview: UseQueryResult<SchedulePreview>
}

/** Previews the next runs of a schedule in its own time zone. */
export function NextRuns({ schedule, preview }: NextRunsProps) {
  const { hours } = usePreferences()
  const present = useNow(10)
  const zone = (typeof schedule === 'object' && schedule.timezone) || 'UTC'
  const times = typeof schedule === 'object' && !preview.isError ? preview.data?.next : undefined
  return (
    <section aria-label="Next runs" className="rounded-md bg-sunken px-3 py-2">
      <h3 className="pb-1 font-medium text-soft text-sm">
        Next runs <span className="text-faint">in {zone}</span>
      </h3>
      {times === undefined ? (
        preview.isError || typeof schedule === 'string' ? (
          <p className="text-faint text-sm">No upcoming runs.</p>
        ) : (
          <Skeleton className="h-24 w-full" />
        )
      ) : times.length === 0 ? (
        <p className="text-warning text-sm">No further runs.</p>
      ) : (
        <ol className="grid grid-cols-[auto_1fr] gap-x-4 text-sm">
          {times.map((time) => (
            <li key={time} className="contents">
              <time dateTime={time}>{formatTime(toMillis(time), 'full', { zone, hours })}</time>
              <span className="text-faint">{formatRelative(toMillis(time), present)}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
