import { hash } from 'node:crypto'
import type { SetStateStatus, State, TransitionDetails } from '@millrace/contracts/state.ts'
import type { Outcome } from '../orchestration/apply-transition.ts'
import type { ReceivedState } from '../orchestration/states.ts'
import { statement, type Tx } from '../storage/database.ts'
import { type CurrentStateColumns, currentStateToResponse, type StateRow, stateRowToResponse, toStateResponse } from './run-state.ts'
import type { SetStateResult } from './state-proposals.ts'

/** A proposal that wrote a state. `key` identifies the request, the rest is the answer to it. */
interface RecordedTransition {
  readonly key: string
  readonly state_id: string
  readonly status: SetStateStatus
  readonly details: TransitionDetails
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

/** A client repeats a request when its answer did not come, before it goes on to another state. */
const recentMax = 4

const historyByIds = {
  flow_run: statement((dialect) => `select * from flow_run_state where ${dialect.inList('id', '$1', 'uuid')}`),
  task_run: statement((dialect) => `select * from task_run_state where ${dialect.inList('id', '$1', 'uuid')}`),
}

/**
 * The transitions that each run of a batch made last. A request that is sent again because its answer was lost gets the first answer again: judged anew,
 * a single failure would spend two retries. Only transitions that wrote a state are kept: any other one changed nothing, so that the rules
 * may judge it again. They lie on the run's row, one JSON object a line, so that a transition needs no further read or write.
 */
export class RecentTransitions {
  readonly #lines = new Map<string, string | null>()
  /** The states that answers are made of. */
  readonly #states = new Map<string, State>()
  readonly #keys = new Map<Proposal, string>()

  static async load(tx: Tx, table: 'flow_run' | 'task_run', rows: Iterable<RunRow>, proposals: readonly Proposal[]): Promise<RecentTransitions> {
    const recent = new RecentTransitions()
    for (const row of rows) {
      recent.#lines.set(row.id, row.recent_transitions)
      const state = row.recent_transitions === null ? null : currentStateToResponse(row)
      if (state) recent.#states.set(state.id, state)
    }
    const left: string[] = []
    for (const proposal of proposals) {
      const key = requestFingerprint(proposal)
      if (key === undefined) continue
      recent.#keys.set(proposal, key)
      const made = recent.#find(proposal)
      if (made && !recent.#states.has(made.state_id)) left.push(made.state_id)
    }
    if (left.length > 0) {
      const states = await tx.all<StateRow>(historyByIds[table], [tx.dialect.list(left)])
      for (const row of states) recent.#states.set(row.id, stateRowToResponse(row))
    }
    return recent
  }

  /** The answer that the same request got before. */
  previousResult(proposal: Proposal): SetStateResult | undefined {
    const made = this.#find(proposal)
    const state = made && this.#states.get(made.state_id)
    return state && { written: true, result: { state, status: made.status, details: made.details } }
  }

  add(proposal: Proposal, { newState: written, status, details }: Outcome): void {
    const key = this.#keys.get(proposal)
    if (key === undefined || written === null) return
    const made: RecordedTransition = { key, state_id: written.id, status, details }
    const earlier = this.#lines.get(proposal.id)?.split('\n') ?? []
    this.#lines.set(proposal.id, [...earlier, JSON.stringify(made)].slice(-recentMax).join('\n'))
    this.#states.set(written.id, toStateResponse(written))
  }

  /** What to store on the row of a run. */
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
 * Identifies a request by its transition id and by all that it proposes: two different states under one id are two requests, as the reference has it
 * for task runs. Undefined when the client gave no transition id.
 */
function requestFingerprint({ state, force = false }: Proposal): string | undefined {
  if (!state.state_details?.transition_id) return undefined
  const { type, name, message, data, state_details } = state
  return hash('sha1', JSON.stringify([type, name, message, data, state_details, force]), 'base64url')
}
