import { type Schedule, upcomingTimes } from '../lib/schedule/schedule.ts'
import type { Micros } from '../lib/time.ts'
import type { Source } from './source/source.ts'

/** The key of a planned run names its deployment, in newer servers its schedule, and its time. */
const idempotencyKey = /^scheduled ([0-9a-f-]{36}) (?:([0-9a-f-]{36}) )?/

/** Until when the other server has planned the runs of a schedule; undefined when it has planned none. */
export type PlannedUntil = (deploymentId: string, scheduleId: string, schedule: Schedule) => Micros | undefined

/**
 * Planned runs are taken over, so that planning goes on after the last of them: to plan them again would make doubles, as both servers spell the
 * time in a key in a way of their own.
 */
export async function readPlannedUntil(source: Source, began: Micros): Promise<PlannedUntil> {
  const time = source.selectExpression('time', 'next_scheduled_start_time')
  const rows = await source.all<{ idempotency_key: string; time: unknown }>(
    `select idempotency_key, ${time} as time from flow_run
      where state_type = 'SCHEDULED' and auto_scheduled and idempotency_key is not null and next_scheduled_start_time is not null`,
  )
  const planned = rows.flatMap((row) => {
    const [, deployment, schedule] = idempotencyKey.exec(row.idempotency_key) ?? []
    return deployment ? [{ deployment, schedule, time: source.read('time', row.time) as Micros }] : []
  })
  const bySchedule = Map.groupBy(planned, ({ schedule }) => schedule)
  const unnamed = Map.groupBy(bySchedule.get(undefined) ?? [], ({ deployment }) => deployment)
  return (deploymentId, scheduleId, schedule) => {
    const named = (bySchedule.get(scheduleId) ?? []).map((run) => run.time)
    const others = (unnamed.get(deploymentId) ?? []).map((run) => run.time)
    const times = [...named, ...consecutiveTimes(schedule, began, new Set(others))]
    return times.length === 0 ? undefined : Math.max(...times)
  }
}

/** Before schedules were named a run may be of any of them: those are its own that are there for each of its times, up to the first that is missing. */
function consecutiveTimes(schedule: Schedule, after: Micros, known: ReadonlySet<Micros>): Micros[] {
  if (known.size === 0) return []
  const times = upcomingTimes(schedule, { after, limit: known.size })
  const missing = times.findIndex((time) => !known.has(time))
  return missing < 0 ? times : times.slice(0, missing)
}
