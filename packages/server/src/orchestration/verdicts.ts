import type { Effect, RunChanges, RunSnapshot, RunState, Verdict } from './rule.ts'

type Facts = Readonly<Record<string, unknown>>
type VerdictOf<K extends Verdict['kind'], Run extends RunSnapshot> = Extract<Verdict<Run>, { kind: K }>

/** Nothing against it. One object for all: most rules say this most of the time. */
export const accept: VerdictOf<'accept', RunSnapshot> = Object.freeze({ kind: 'accept' })

/** Nothing against it, but as this state. */
export const amend = (state: RunState): VerdictOf<'accept', RunSnapshot> => ({ kind: 'accept', state })

/** Nothing against it, and this follows for the run. */
export const acceptWith = <Run extends RunSnapshot>(changes: RunChanges<Run>, state?: RunState): VerdictOf<'accept', Run> => ({
  kind: 'accept',
  changes,
  state,
})

/** Nothing against it, and this is to be done elsewhere. */
export const acceptWithEffect = (effect: Effect): VerdictOf<'accept', RunSnapshot> => ({ kind: 'accept', effect })

/** Another state instead of the proposed one. */
export function replace<Run extends RunSnapshot>(
  state: RunState,
  reason: string,
  facts?: Facts,
  changes?: RunChanges<Run>,
): VerdictOf<'reject', Run> {
  return { kind: 'reject', state, reason, facts, changes }
}

/** The run stays in the state it is in. */
export const reject = (reason: string, facts?: Facts): VerdictOf<'reject', RunSnapshot> => ({ kind: 'reject', state: null, reason, facts })

/** Not yet: ask again after so many seconds. */
export const wait = (delay_seconds: number, reason: string, facts?: Facts): VerdictOf<'wait', RunSnapshot> => ({
  kind: 'wait',
  delay_seconds,
  reason,
  facts,
})

/** No, and whoever asked should stop working on this run. */
export const abort = (reason: string, facts?: Facts): VerdictOf<'abort', RunSnapshot> => ({ kind: 'abort', reason, facts })
