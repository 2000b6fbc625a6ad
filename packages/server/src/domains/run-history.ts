import type { HistoryResponse, HistoryResponseState } from '@millrace/contracts/history.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import { type RawBuilder, sql } from 'kysely'
import { invalid } from '../errors.ts'
import { addSeconds, formatTime, MICROS_PER_SECOND, type Micros, toMicros } from '../lib/time.ts'
import type { Condition } from '../storage/criteria.ts'
import type { Db } from '../storage/database.ts'

export interface HistorySpan {
  readonly history_start: string
  readonly history_end: string
  readonly history_interval_seconds: number
}

interface Group {
  readonly bucket: number
  readonly state_type: StateType
  readonly state_name: string
  readonly count_runs: number
  readonly run_time: number
  readonly lateness: number
}

const intervalsMax = 500
/** Times end with the year 9999. */
const lastTime = toMicros('9999-12-31T23:59:59.999999Z')

/**
 * Counts runs by interval of their expected start and by present state: 500 intervals at most, empty ones included. One grouped query over one range
 * of an index that holds all it looks at; at 100,000 flow runs a day in half hours takes 2 ms and a week in hours 20 ms on SQLite.
 */
export async function runHistory(
  db: Db,
  table: 'flow_run' | 'task_run',
  where: Condition,
  span: HistorySpan,
  now: Micros,
): Promise<HistoryResponse[]> {
  const start = toMicros(span.history_start)
  const interval = addSeconds(0, span.history_interval_seconds)
  const count = Math.min(Math.ceil((toMicros(span.history_end) - start) / interval), intervalsMax)
  if (count <= 0) return []
  const end = start + count * interval
  if (end > lastTime)
    throw invalid(['body', 'history_interval_seconds'], 'The intervals must end before the year 10000', span.history_interval_seconds)

  const { rows } = await sql<Group>`
    select (expected_start_time - cast(${start} as bigint)) / cast(${interval} as bigint) as bucket, state_type, state_name,
      count(*) as count_runs, sum(${runTimeAt(now)}) as run_time, sum(${latenessAt(now)}) as lateness
    from ${sql.table(table)}
    where expected_start_time >= ${start} and expected_start_time < ${end} and ${where}
    group by 1, 2, 3`.execute(db.kysely)

  const states = new Map<number, HistoryResponseState[]>()
  for (const row of rows.sort(byState)) {
    const known = states.get(row.bucket) ?? []
    states.set(row.bucket, known)
    known.push({
      state_type: row.state_type,
      state_name: row.state_name,
      count_runs: row.count_runs,
      sum_estimated_run_time: row.run_time / MICROS_PER_SECOND,
      sum_estimated_lateness: row.lateness / MICROS_PER_SECOND,
    })
  }
  return Array.from({ length: count }, (_, index) => ({
    interval_start: formatTime(start + index * interval),
    interval_end: formatTime(start + (index + 1) * interval),
    states: states.get(index) ?? [],
  }))
}

/** Sorted here: databases differ in how they sort text. */
const byState = (a: Group, b: Group): number => compareText(a.state_type, b.state_type) || compareText(a.state_name, b.state_name)

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Estimates are summed as doubles: a few thousand runs that are years late would overflow 64 bits of microseconds. */
const estimate = (micros: RawBuilder<unknown>): RawBuilder<number> => sql<number>`cast(${micros} as double precision)`

/** `total_run_time` only grows when Running is left. The same as `estimatedRunTime` of a single run. */
const runTimeAt = (now: Micros): RawBuilder<number> =>
  estimate(
    sql`case when state_type = 'RUNNING' and state_timestamp < ${now} then total_run_time + cast(${now} as bigint) - state_timestamp else total_run_time end`,
  )

/** How late a run started, or is by now. The same as `estimatedStartTimeDelta` of a single run. */
export const latenessAt = (now: Micros): RawBuilder<number> =>
  estimate(sql`case
    when start_time > expected_start_time then start_time - expected_start_time
    when start_time is null and expected_start_time < ${now} and state_type not in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')
      then cast(${now} as bigint) - expected_start_time
    else 0 end`)
