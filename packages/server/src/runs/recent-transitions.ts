import { hash } from 'node:crypto'
import type { SetStateStatus, TransitionDetails } from '@millrace/contracts/state.ts'
import type { Outcome } from '../orchestration/apply-transition.ts'
import type { RunState } from '../orchestration/rule.ts'
import type { ReceivedState } from '../orchestration/states.ts'
import type { SetStateResult } from './command.ts'
import { type CurrentStateColumns, parseCurrentState, parseStateRow, type StateRow, toStateResponse } from './run-state.ts'

/** A proposal that wrote a state. `key` identifies the request; the other fields are its response. */
interface RecordedTransition {
  readonly key: string
  readonly state_id: string
  readonly status: SetStateStatus
  readonly details: TransitionDetails
  /** Of a flow run, after the transition. */
  readonly attempt?: number | undefined
}

interface Proposal {
  readonly id: string
  readonly state: ReceivedState
  readonly force?: boolean
}

interface RunRow extends CurrentStateColumns {
  readonly id: string
  readonly recent_transitions: string | null
}

/** Transitions per run. A client repeats a request before it proposes further states, so a few are enough. */
const recentMax = 4

/**
 * The recent transitions of the runs of a batch. A request that is repeated because its response was lost gets the first response again: evaluated
 * again, a single failure would use two retries. Only transitions that wrote a state are stored; others changed nothing and can be evaluated
 * again. They are stored in the row of the run, one JSON object per line, so that a transition needs no further read or write.
 */
export class RecentTransitions {
  readonly #lines = new Map<string, string | null>()
  /** The states of the responses. */
  readonly #states = new Map<string, RunState>()
  readonly #keys = new Map<Proposal, string>()
  /** States of repeated transitions that the rows of the runs do not have. `addStates` brings them. */
  readonly missingStates: string[] = []

  constructor(rows: readonly RunRow[], proposals: readonly Proposal[]) {
    const byState = new Map(rows.map((row) => [row.state_id, row]))
    for (const row of rows) this.#lines.set(row.id, row.recent_transitions)
    for (const proposal of proposals) {
      const key = requestFingerprint(proposal)
      if (key === undefined) continue
      this.#keys.set(proposal, key)
      const recorded = this.#find(proposal)
      if (!recorded) continue
      const row = byState.get(recorded.state_id)
      if (row) this.#states.set(recorded.state_id, parseCurrentState(row) as RunState)
      else this.missingStates.push(recorded.state_id)
    }
  }

  addStates(rows: readonly StateRow[]): void {
    for (const row of rows) this.#states.set(row.id, parseStateRow(row))
  }

  /** The response to an earlier identical request. */
  previousResult(proposal: Proposal): SetStateResult | undefined {
    const recorded = this.#find(proposal)
    const state = recorded && this.#states.get(recorded.state_id)
    return (
      state && {
        written: true,
        result: { state: toStateResponse(state), status: recorded.status, details: recorded.details },
        attempt: recorded.attempt,
      }
    )
  }

  add(proposal: Proposal, { newState, status, details, run }: Outcome): void {
    const key = this.#keys.get(proposal)
    if (key === undefined || newState === null) return
    const { attempt } = run as { readonly attempt?: number }
    const recorded: RecordedTransition = { key, state_id: newState.id, status, details, attempt }
    const earlier = this.#lines.get(proposal.id)?.split('\n') ?? []
    this.#lines.set(proposal.id, [...earlier, JSON.stringify(recorded)].slice(-recentMax).join('\n'))
    this.#states.set(newState.id, newState)
  }

  /** The column value of a run. */
  serialize(runId: string): string | null {
    return this.#lines.get(runId) ?? null
  }

  #find(proposal: Proposal): RecordedTransition | undefined {
    const key = this.#keys.get(proposal)
    const lines = this.#lines.get(proposal.id)
    if (key === undefined || !lines?.includes(key)) return undefined
    const line = lines.split('\n').find((each) => each.includes(key))
    return line === undefined ? undefined : JSON.parse(line)
  }
}

/**
 * Identifies a request by its transition id and its content: two different states with one id are two requests, as in the reference for task runs.
 * Undefined without a transition id.
 */
function requestFingerprint({ state, force = false }: Proposal): string | undefined {
  if (!state.state_details?.transition_id) return undefined
  const { type, name, message, data, state_details } = state
  return hash('sha1', JSON.stringify([type, name, message, data, state_details, force]), 'base64url')
}
