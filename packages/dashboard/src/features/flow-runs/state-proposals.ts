import type { StateCreate } from '@millrace/contracts/state.ts'

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
