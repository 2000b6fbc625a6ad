import type { State, Verdict } from '@millrace/contracts/state.ts'
import { toMillis } from '../../ui/time-format.ts'

export type HistoryEntry =
  | { readonly kind: 'state'; readonly at: number; readonly state: State; readonly until: State | undefined }
  | { readonly kind: 'verdict'; readonly at: number; readonly verdict: Verdict }

/** Merges states and verdicts, newest first. A verdict comes below the state it led to. */
export function buildHistory(states: readonly State[], verdicts: readonly Verdict[]): HistoryEntry[] {
  const entries: HistoryEntry[] = [
    ...verdicts.map((verdict) => ({ kind: 'verdict', at: toMillis(verdict.at), verdict }) as const),
    ...states.map((state, index) => ({ kind: 'state', at: toMillis(state.timestamp), state, until: states[index + 1] }) as const),
  ]
  return entries.sort((a, b) => a.at - b.at).reverse()
}
