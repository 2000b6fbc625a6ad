import type { Micros } from '../lib/time.ts'
import type { Source } from './source/source.ts'

/** The key of a planned run names its deployment, its schedule and its time. */
const key = /^scheduled \S+ ([0-9a-f-]{36}) /

/**
 * Until when the other server has planned the runs of each schedule. They are taken over, so that planning goes on after the last of them: to
 * plan them again would make doubles, as both servers spell the time in a key in a way of their own.
 */
export async function plannedUntil(source: Source): Promise<ReadonlyMap<string, Micros>> {
  const time = source.expression('time', 'next_scheduled_start_time')
  const rows = await source.all<{ idempotency_key: string; time: unknown }>(
    `select idempotency_key, ${time} as time from flow_run
      where state_type = 'SCHEDULED' and auto_scheduled and idempotency_key is not null and next_scheduled_start_time is not null`,
  )
  const latest = new Map<string, Micros>()
  for (const row of rows) {
    const schedule = key.exec(row.idempotency_key)?.[1]
    const planned = source.read('time', row.time) as Micros
    if (schedule) latest.set(schedule, Math.max(planned, latest.get(schedule) ?? 0))
  }
  return latest
}
