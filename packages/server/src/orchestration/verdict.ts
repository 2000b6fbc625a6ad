import type { Effect, RunChanges, RunFacts, RunState, Verdict } from './rule.ts'

type Facts = Readonly<Record<string, unknown>>
type Kind<K extends Verdict['kind'], Run extends RunFacts> = Extract<Verdict<Run>, { kind: K }>

/** Nothing against it. One object for all: most rules say this most of the time. */
export const accept: Kind<'accept', RunFacts> = Object.freeze({ kind: 'accept' })

/** Nothing against it, but as this state. */
export const amend = (state: RunState): Kind<'accept', RunFacts> => ({ kind: 'accept', state })

/** Nothing against it, and this follows for the run. */
export const noting = <Run extends RunFacts>(changes: RunChanges<Run>, state?: RunState): Kind<'accept', Run> => ({ kind: 'accept', changes, state })

/** Nothing against it, and this is to be done elsewhere. */
export const causing = (effect: Effect): Kind<'accept', RunFacts> => ({ kind: 'accept', effect })

/** Another state instead of the proposed one. */
export function replace<Run extends RunFacts>(state: RunState, reason: string, facts?: Facts, changes?: RunChanges<Run>): Kind<'reject', Run> {
  return { kind: 'reject', state, reason, facts, changes }
}

/** The run stays in the state it is in. */
export const reject = (reason: string, facts?: Facts): Kind<'reject', RunFacts> => ({ kind: 'reject', state: null, reason, facts })

/** Not yet: ask again after so many seconds. */
export const wait = (delay_seconds: number, reason: string, facts?: Facts): Kind<'wait', RunFacts> => ({ kind: 'wait', delay_seconds, reason, facts })

/** No, and whoever asked should stop working on this run. */
export const abort = (reason: string, facts?: Facts): Kind<'abort', RunFacts> => ({ kind: 'abort', reason, facts })
