import type { HistoryResponse } from '@millrace/contracts/history.ts'
import { type DisplayState, toDisplayState } from '../../ui/display-state.ts'

/** Number of runs per display state, over one or more buckets. */
export function countByDisplayState(buckets: readonly HistoryResponse[]): Map<DisplayState, number> {
  const counts = new Map<DisplayState, number>()
  for (const { states } of buckets) {
    for (const { state_type, state_name, count_runs } of states) {
      const displayState = toDisplayState(state_type, state_name)
      counts.set(displayState, (counts.get(displayState) ?? 0) + count_runs)
    }
  }
  return counts
}
