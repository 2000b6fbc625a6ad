import { type Schedule, upcomingTimes } from '../lib/schedule/schedule.ts'
import type { Micros } from '../lib/time.ts'
import type { Source } from './source/source.ts'

/** The idempotency key of a scheduled run: deployment id, schedule id (newer servers), time. */
const idempotencyKey = /^scheduled ([0-9a-f-]{36}) (?:([0-9a-f-]{36}) )?/

/** The time of the last run that the source has created for a schedule; undefined when there is none. */
export type PlannedUntil = (deploymentId: string, scheduleId: string, schedule: Schedule) => Micros | undefined

/**
 * Scheduled runs are adopted, so scheduling continues after the last of them. Creating them again would make duplicates, because both servers format the time
 * in the idempotency key differently.
 */
export async function readPlannedUntil(source: Source, startedAt: Micros): Promise<PlannedUntil> {
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
    const times = [...named, ...consecutiveTimes(schedule, startedAt, new Set(others))]
    return times.length === 0 ? undefined : Math.max(...times)
  }
}

/** A run without a schedule id can belong to any schedule of the deployment. Counts the upcoming times with a run, up to the first without. */
function consecutiveTimes(schedule: Schedule, after: Micros, runTimes: ReadonlySet<Micros>): Micros[] {
  if (runTimes.size === 0) return []
  const times = upcomingTimes(schedule, { after, limit: runTimes.size })
  const missing = times.findIndex((time) => !runTimes.has(time))
  return missing < 0 ? times : times.slice(0, missing)
}
