import type { HistoryResponse } from '@millrace/contracts/history.ts'
import { type StateLook, stateLook } from '../../ui/state-look.ts'

/** Runs by how their state looks, over one interval or several. */
export function countsOf(buckets: readonly HistoryResponse[]): Map<StateLook, number> {
  const counts = new Map<StateLook, number>()
  for (const { states } of buckets) {
    for (const { state_type, state_name, count_runs } of states) {
      const look = stateLook(state_type, state_name)
      counts.set(look, (counts.get(look) ?? 0) + count_runs)
    }
  }
  return counts
}
