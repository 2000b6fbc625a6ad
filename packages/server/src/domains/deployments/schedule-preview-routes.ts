import { SchedulePreview, SchedulePreviewBody } from '@millrace/contracts/schedule.ts'
import { invalid } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import { checkSchedule, completeSchedule } from '../../lib/schedule/check-schedule.ts'
import { upcomingTimes } from '../../lib/schedule/schedule.ts'
import { formatTime, toMicros } from '../../lib/time.ts'
import type { ServerContext } from '../../storage/server-context.ts'

/** The next times of a schedule, for forms. Uses the code of the scheduler and writes nothing. */
export function schedulePreviewRoutes({ clock }: ServerContext): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/ui/schedules/preview',
        tag: 'UI',
        summary: 'Preview the next times of a schedule',
        scope: 'deployments:read',
        kind: 'query',
        body: SchedulePreviewBody,
        responses: { 200: SchedulePreview },
      },
      ({ body: { schedule, count, after } }): SchedulePreview => {
        const problem = checkSchedule(schedule)
        if (problem) throw invalid(['body', 'schedule'], problem, schedule)
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
