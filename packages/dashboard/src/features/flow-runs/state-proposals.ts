import type { StateCreate } from '@millrace/contracts/state.ts'
import { describeError } from '../../api/describe-error.ts'
import { setFlowRunStates } from '../../api/flow-runs.ts'
import { showToast } from '../../ui/toast.tsx'

/** A user action as the state to propose. */
export interface StateProposal {
  readonly state: StateCreate
  /** Completes "1 run is …". */
  readonly outcomeText: string
}

export const cancelProposal: StateProposal = {
  state: { type: 'CANCELLING', name: 'Cancelling', message: 'Cancelled from the dashboard' },
  outcomeText: 'being cancelled',
}

export const retryProposal: StateProposal = {
  state: { type: 'SCHEDULED', name: 'AwaitingRetry', message: 'Retried from the dashboard' },
  outcomeText: 'scheduled for retry',
}

/** Ends the process. The run waits up to an hour to be resumed. */
export const suspendProposal = (present: number): StateProposal => ({
  state: {
    type: 'PAUSED',
    name: 'Suspended',
    message: 'Suspended from the dashboard',
    state_details: { pause_reschedule: true, pause_timeout: new Date(present + 3_600_000).toISOString() },
  },
  outcomeText: 'suspended',
})

/** Proposes a state for every run and shows how many accepted it and why others did not. */
export async function proposeState(ids: readonly string[], { state, outcomeText: done }: StateProposal, force = false): Promise<void> {
  try {
    const results = await setFlowRunStates(ids, state, force)
    const rejected = results.filter(({ status }) => status !== 'ACCEPT')
    const acceptedCount = results.length - rejected.length
    const reasons = new Set(rejected.flatMap(({ details }) => ('reason' in details && details.reason ? [details.reason] : [])))
    if (acceptedCount > 0) showToast(`${acceptedCount} ${acceptedCount === 1 ? 'run is' : 'runs are'} ${done}`)
    if (rejected.length > 0) {
      showToast(`${rejected.length} ${rejected.length === 1 ? 'run was' : 'runs were'} rejected`, { tone: 'bad', detail: [...reasons].join(' · ') })
    }
  } catch (error) {
    const { title, detail } = describeError(error)
    showToast(title, { tone: 'bad', detail: detail ?? '' })
  }
}
