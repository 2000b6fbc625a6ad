import { SchedulePreview, SchedulePreviewBody } from '@millrace/contracts/schedule.ts'
import { invalid } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import { checkSchedule, completeSchedule } from '../../lib/schedule/check-schedule.ts'
import { upcomingTimes } from '../../lib/schedule/schedule.ts'
import { formatTime, toMicros } from '../../lib/time.ts'
import type { ServerContext } from '../../storage/server-context.ts'

/** When a schedule would fire, by the scheduler's own arithmetic: what a form shows while it is filled in. Nothing is written. */
export function schedulePreviewRoutes({ clock }: ServerContext): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/ui/schedules/preview',
        tag: 'UI',
        summary: 'List the next times of a schedule that need not exist',
        scope: 'deployments:read',
        body: SchedulePreviewBody,
        responses: { 200: SchedulePreview },
      },
      ({ body: { schedule, count, after } }): SchedulePreview => {
        const wrong = checkSchedule(schedule)
        if (wrong) throw invalid(['body', 'schedule'], wrong, schedule)
        const now = clock.now()
        const times = upcomingTimes(completeSchedule(schedule, now), {
          after: after ? toMicros(after) : now,
          until: Number.POSITIVE_INFINITY,
          limit: count,
        })
        return { next: times.map(formatTime) }
      },
    ),
  ]
}
