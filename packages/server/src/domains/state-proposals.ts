import type { OrchestrationResult, StateType, TransitionDetails } from '@millrace/contracts/state.ts'
import type { Config } from '../config.ts'
import type { RuleSettings } from '../orchestration/rule.ts'
import type { Row } from '../storage/tables.ts'

/** The result of a proposal for a flow run or a task run. */
export interface SetStateResult {
  /** Whether a new state was written. */
  readonly written: boolean
  readonly result: OrchestrationResult
}

/** The ids of the runs that proposals are for. */
export const uniqueIds = (proposals: readonly { readonly id: string }[]): string[] => [...new Set(proposals.map(({ id }) => id))]

interface VerdictSource {
  readonly status: string
  readonly details: TransitionDetails
}

/** The row of a verdict. Accepts without a reason are not stored. */
export function toVerdictRows(
  newId: () => string,
  runId: string,
  at: number,
  from: StateType | null,
  to: StateType,
  { status, details }: VerdictSource,
): Row<'verdict'>[] {
  if (details.type === 'accept_details' || !('rule' in details)) return []
  return [
    {
      id: newId(),
      run_id: runId,
      at,
      status,
      rule: details.rule ?? '',
      reason: details.reason ?? '',
      facts: details.facts ? JSON.stringify(details.facts) : null,
      from_type: from,
      to_type: to,
    },
  ]
}

export const toRuleSettings = ({ concurrency, task_runs }: Config): RuleSettings => ({
  deployment_slot_wait_seconds: concurrency.deployment_slot_wait_seconds,
  deployment_lease_seconds: concurrency.initial_deployment_lease_seconds,
  tag_slot_wait_seconds: concurrency.tag_slot_wait_seconds,
  cache_key_length_max: task_runs.maximum_cache_key_length,
})
