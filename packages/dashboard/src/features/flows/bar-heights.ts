import type { RunMark } from '@millrace/contracts/latest-runs.ts'

const heightMin = 4

/** How high the marks of runs are: by the root of how long each took, so that one long run does not flatten all others. */
export function barHeights(runs: readonly Pick<RunMark, 'total_run_time'>[], height: number): number[] {
  const most = Math.max(...runs.map(({ total_run_time }) => total_run_time), 0)
  return runs.map(({ total_run_time }) =>
    most > 0 ? Math.max(heightMin, Math.round(height * Math.sqrt(Math.max(0, total_run_time) / most))) : heightMin,
  )
}
