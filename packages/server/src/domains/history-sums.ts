import { type RawBuilder, sql } from 'kysely'
import type { Micros } from '../lib/time.ts'
import type { Condition } from '../storage/criteria.ts'
import type { DistinctState } from './distinct-states.ts'

/** The runs to count, in `count` intervals of `interval` microseconds from `start`. */
export interface HistoryQuery {
  readonly table: 'flow_run' | 'task_run'
  readonly where: Condition
  readonly start: Micros
  readonly interval: Micros
  readonly count: number
  readonly now: Micros
}

/** The runs of one state in one interval. Times are microseconds. */
export interface StateBucket extends DistinctState {
  readonly bucket: number
  readonly runs: number
  readonly run_time: number
  readonly lateness: number
}

/** Sums use doubles: the lateness of a hundred thousand runs that are years late overflows 64 bits of microseconds. */
const estimate = (micros: RawBuilder<unknown>): RawBuilder<number> => sql<number>`cast(${micros} as double precision)`

/** `total_run_time` grows only when a run leaves Running. Same as `estimatedRunTime` in run-state.ts. */
export const runTimeAt = (now: Micros): RawBuilder<number> =>
  estimate(sql`case when state_type = 'RUNNING' and state_timestamp < ${now}
    then total_run_time + cast(${now} as bigint) - state_timestamp else total_run_time end`)

/** Same as `estimatedStartTimeDelta` in run-state.ts. */
export const latenessAt = (now: Micros): RawBuilder<number> =>
  estimate(sql`case
    when start_time > expected_start_time then start_time - expected_start_time
    when start_time is null and expected_start_time < ${now} and state_type not in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')
      then cast(${now} as bigint) - expected_start_time
    else 0 end`)
