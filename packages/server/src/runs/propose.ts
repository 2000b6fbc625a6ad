import type { RunSnapshot } from '../orchestration/rule.ts'
import { createState, type ReceivedState } from '../orchestration/states.ts'
import { HeldRow } from '../storage/database.ts'
import type { SetStateResult } from './command.ts'
import type { Deciding } from './deciding.ts'
import { addVerdict, findRun, type Kind } from './kinds.ts'
import { toStateResponse } from './run-state.ts'

interface Proposal {
  readonly id: string
  readonly state: ReceivedState
  readonly force?: boolean
}

/** Lets the rules decide about a proposed state, and enters the state that they decide on. */
export function propose<Row extends { readonly id: string }, Run extends RunSnapshot, P extends Proposal>(
  kind: Kind<Row, Run, P>,
  deciding: Deciding,
  proposal: P,
): SetStateResult | Error {
  const row = findRun(kind, deciding, proposal.id)
  if (row instanceof Error) return row
  const held = kind.needs(row).find((each) => deciding.isHeld(each))
  if (held !== undefined) return new HeldRow(held)
  const recent = kind.recent(deciding)
  const repeated = recent.previousResult(proposal)
  if (repeated && kind.answersAgain(repeated, row, proposal)) return repeated

  const ruleContext = deciding.ruleContext()
  const proposed = createState(ruleContext, proposal.state)
  const run = kind.snapshot(deciding, row, proposed)
  const policy = kind.policy(proposal, proposed)
  const { leaseMode } = proposal as { leaseMode?: undefined }
  const outcome = kind.transition(policy, { ...ruleContext, run, current: run.state, proposed, slots: kind.slots(deciding), leaseMode })
  recent.add(proposal, outcome)
  if (outcome.run !== run || outcome.newState) kind.enter(deciding, row, run, outcome, proposal)
  addVerdict(deciding, run.id, run.state?.type ?? null, proposed.type, outcome)
  const state = outcome.newState ?? run.state
  return { written: outcome.newState !== null, result: { state: state && toStateResponse(state), status: outcome.status, details: outcome.details } }
}
