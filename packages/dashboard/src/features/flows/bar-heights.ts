import type { RunMark } from '@millrace/contracts/latest-runs.ts'

const heightMin = 4

/** Bar heights by the square root of the duration, so that one long run does not flatten the others. */
export function barHeights(runs: readonly Pick<RunMark, 'total_run_time'>[], height: number): number[] {
  const most = Math.max(...runs.map(({ total_run_time }) => total_run_time), 0)
  return runs.map(({ total_run_time }) =>
    most > 0 ? Math.max(heightMin, Math.round(height * Math.sqrt(Math.max(0, total_run_time) / most))) : heightMin,
  )
}
