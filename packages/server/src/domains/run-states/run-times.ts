import { isTerminal, type StateType } from '@millrace/contracts/state.ts'
import type { Micros } from '../../lib/time.ts'

export interface RunTimes {
  /** A `StateType` as text, or null. */
  readonly state_type: string | null
  readonly state_timestamp: Micros | null
  readonly expected_start_time: Micros | null
  readonly start_time: Micros | null
  readonly total_run_time: Micros
}

/** The run time until now. `total_run_time` grows only when a run leaves Running. */
export function estimatedRunTime(run: RunTimes, now: Micros): Micros {
  if (run.state_type !== 'RUNNING' || run.state_timestamp === null) return run.total_run_time
  return run.total_run_time + Math.max(0, now - run.state_timestamp)
}

/** How late the run started, or how late it is now if it is due and has neither started nor ended; otherwise 0. */
export function estimatedStartTimeDelta(run: RunTimes, now: Micros): Micros {
  if (run.expected_start_time === null) return 0
  const started = run.start_time ?? (isTerminal(run.state_type as StateType | null) ? run.expected_start_time : now)
  return Math.max(0, started - run.expected_start_time)
}
