import type { OrchestrationResult } from '@millrace/contracts/state.ts'

/** What came of a proposal, for flow runs and task runs alike. */
export interface SetStateResult {
  /** Whether a new state was written. */
  readonly written: boolean
  readonly result: OrchestrationResult
}
