import type { StateCreate } from '@millrace/contracts/state.ts'

/** What people do to runs, as the states that are proposed for it. */
export interface StateProposal {
  readonly state: StateCreate
  /** What a run is then. */
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

/** The process ends and the run waits, for an hour at most, until somebody resumes it. */
export const suspendProposal = (present: number): StateProposal => ({
  state: {
    type: 'PAUSED',
    name: 'Suspended',
    message: 'Suspended from the dashboard',
    state_details: { pause_reschedule: true, pause_timeout: new Date(present + 3_600_000).toISOString() },
  },
  outcomeText: 'suspended',
})
