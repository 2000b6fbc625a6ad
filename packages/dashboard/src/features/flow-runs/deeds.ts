import type { StateCreate } from '@millrace/contracts/state.ts'

/** What people do to runs, as the states that are proposed for it. */
export interface Deed {
  readonly state: StateCreate
  /** What a run is then. */
  readonly done: string
}

export const cancelled: Deed = {
  state: { type: 'CANCELLING', name: 'Cancelling', message: 'Cancelled from the dashboard' },
  done: 'being cancelled',
}

export const retried: Deed = {
  state: { type: 'SCHEDULED', name: 'AwaitingRetry', message: 'Retried from the dashboard' },
  done: 'scheduled again',
}

/** The process ends and the run waits, for an hour at most, until somebody resumes it. */
export const suspended = (present: number): Deed => ({
  state: {
    type: 'PAUSED',
    name: 'Suspended',
    message: 'Suspended from the dashboard',
    state_details: { pause_reschedule: true, pause_timeout: new Date(present + 3_600_000).toISOString() },
  },
  done: 'suspended',
})
