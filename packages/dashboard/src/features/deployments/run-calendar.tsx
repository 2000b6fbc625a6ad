import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { scheduleTimesQuery } from '../../api/schedules.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/classes.ts'
import { useNow } from '../../ui/clock.ts'
import { usePreferences } from '../../ui/preferences.ts'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { formatTime, toMillis } from '../../ui/time-format.ts'
import { addDays, type CalendarSpan, type Day, dayInZone, dayStart, isSameMonth, shiftPeriod, visibleDays } from './calendar-days.ts'

const timesMax = 800
const timesPerDayMax: Record<CalendarSpan, number> = { month: 4, week: 24 }
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** Calendar of scheduled times. The scheduler creates runs only shortly ahead; the calendar has no such limit. */
export function RunCalendar({ deployment }: { readonly deployment: DeploymentResponse }) {
  const { zone } = usePreferences()
  const present = useNow(60)
  const today = dayInZone(present, zone)
  const [span, setSpan] = useState<CalendarSpan>('month')
  const [day, setDay] = useState<Day>(today)
  const days = visibleDays(day, span)
  const from = Math.max(dayStart(days[0] ?? day, zone), Math.floor(present / 60_000) * 60_000)
  const until = dayStart(addDays(days.at(-1) ?? day, 1), zone)
  const active = deployment.paused ? [] : deployment.schedules.filter((schedule) => schedule.active)
  const found = useQueries({
    queries: active.map(({ schedule }) => ({
      ...scheduleTimesQuery(schedule, new Date(from).toISOString(), new Date(until).toISOString(), timesMax),
      enabled: until > from,
    })),
  })
  const times = found.flatMap(({ data }) => data?.times ?? []).sort((a, b) => toMillis(a) - toMillis(b))
  const byDay = Map.groupBy(times, (time) => dayInZone(toMillis(time), zone))
  /** Times after this one were cut off by the request limit. */
  const knownUntil = Math.min(...found.map(({ data }) => (data && !data.complete ? toMillis(data.times.at(-1) ?? '') : Number.POSITIVE_INFINITY)))
  return (
    <section aria-label="Calendar of upcoming runs" className="flex flex-col gap-2">
      <header className="flex flex-wrap items-center gap-2">
        <IconButton icon="left" label={`Previous ${span}`} disabled={(days[0] ?? '') <= today} onClick={() => setDay(shiftPeriod(day, span, -1))} />
        <h3 aria-live="polite" className="min-w-36 text-center font-semibold">
          {formatPeriod(days, day, span)}
        </h3>
        <IconButton icon="right" label={`Next ${span}`} onClick={() => setDay(shiftPeriod(day, span, 1))} />
        <Button variant="quiet" disabled={days.includes(today)} onClick={() => setDay(today)}>
          Today
        </Button>
        <span className="ml-auto" />
        <SegmentedControl<CalendarSpan>
          label="Period"
          value={span}
          options={[
            { value: 'month', label: 'Month' },
            { value: 'week', label: 'Week' },
          ]}
          onChange={setSpan}
        />
      </header>
      {active.length === 0 && (
        <p className="rounded-md bg-warning-wash px-3 py-2 text-warning">
          {deployment.paused ? 'The deployment is paused. No runs are scheduled.' : 'No active schedule. No runs are scheduled.'}
        </p>
      )}
      <div className="card overflow-x-auto">
        <table className="w-full min-w-[38rem] table-fixed border-collapse">
          <caption className="sr-only">Runs by day</caption>
          <thead>
            <tr className="border-b border-line text-left">
              {weekdays.map((weekday) => (
                <th key={weekday} scope="col" className="h-8 px-2 font-medium text-faint text-sm">
                  {weekday}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {splitIntoWeeks(days).map((week) => (
              <tr key={week[0]} className="border-b border-line last:border-b-0">
                {week.map((each) => (
                  <DayCell
                    key={each}
                    day={each}
                    times={byDay.get(each) ?? []}
                    limit={timesPerDayMax[span]}
                    isToday={each === today}
                    isFaint={span === 'month' && !isSameMonth(each, day)}
                    isCut={dayStart(addDays(each, 1), zone) > knownUntil}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

interface DayCellProps {
  readonly day: Day
  readonly times: readonly string[]
  readonly limit: number
  readonly isToday: boolean
  readonly isFaint: boolean
  readonly isCut: boolean
}

function DayCell({ day, times, limit, isToday, isFaint, isCut }: DayCellProps) {
  const preferences = usePreferences()
  const rest = times.length - limit
  return (
    <td className={classNames('h-24 border-l border-line px-2 py-1 align-top first:border-l-0', isFaint && 'bg-sunken')}>
      <p className={classNames('text-sm', isToday ? 'font-semibold text-accent' : isFaint ? 'text-faint' : 'text-soft')}>
        <time dateTime={day} {...(isToday && { 'aria-current': 'date' })}>
          {Number(day.slice(8))}
        </time>
        {times.length > 1 && <span className="float-right text-faint text-xs">{times.length}</span>}
      </p>
      <ul className="text-sm leading-4.5">
        {times.slice(0, limit).map((time) => (
          <li key={time} className="mt-0.5 w-fit rounded-sm bg-wash px-1">
            <time dateTime={time}>{formatTime(toMillis(time), 'clock', preferences)}</time>
          </li>
        ))}
        {rest > 0 && <li className="text-faint">and {rest} more</li>}
        {isCut && <li className="text-faint">more</li>}
      </ul>
    </td>
  )
}

const splitIntoWeeks = (days: readonly Day[]): Day[][] => Array.from({ length: days.length / 7 }, (_, index) => days.slice(index * 7, index * 7 + 7))

const monthName = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' })
const dayName = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

const formatPeriod = (days: readonly Day[], day: Day, span: CalendarSpan): string =>
  span === 'month' ? monthName.format(new Date(day)) : `${dayName.format(new Date(days[0] ?? day))} – ${dayName.format(new Date(days.at(-1) ?? day))}`
