import type { Effect, RunChanges, RunSnapshot, RunState, Verdict } from './rule.ts'

type Facts = Readonly<Record<string, unknown>>
type VerdictOf<K extends Verdict['kind'], Run extends RunSnapshot> = Extract<Verdict<Run>, { kind: K }>

/** Accepts the proposed state. One shared object, because it is the most frequent verdict. */
export const accept: VerdictOf<'accept', RunSnapshot> = Object.freeze({ kind: 'accept' })

/** Accepts with an amended state. */
export const amend = (state: RunState): VerdictOf<'accept', RunSnapshot> => ({ kind: 'accept', state })

/** Accepts with changes to the run. */
export const acceptWith = <Run extends RunSnapshot>(changes: RunChanges<Run>, state?: RunState): VerdictOf<'accept', Run> => ({
  kind: 'accept',
  changes,
  state,
})

/** Accepts with a write outside of the run. */
export const acceptWithEffect = (effect: Effect): VerdictOf<'accept', RunSnapshot> => ({ kind: 'accept', effect })

/** Rejects and writes another state. */
export function replace<Run extends RunSnapshot>(
  state: RunState,
  reason: string,
  facts?: Facts,
  changes?: RunChanges<Run>,
): VerdictOf<'reject', Run> {
  return { kind: 'reject', state, reason, facts, changes }
}

/** Rejects; the run keeps its current state. */
export const reject = (reason: string, facts?: Facts): VerdictOf<'reject', RunSnapshot> => ({ kind: 'reject', state: null, reason, facts })

/** The client proposes the state again after the delay. */
export const wait = (delay_seconds: number, reason: string, facts?: Facts): VerdictOf<'wait', RunSnapshot> => ({
  kind: 'wait',
  delay_seconds,
  reason,
  facts,
})

/** Rejects; the client stops working on this run. */
export const abort = (reason: string, facts?: Facts): VerdictOf<'abort', RunSnapshot> => ({ kind: 'abort', reason, facts })
