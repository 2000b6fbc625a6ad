import type { OrchestrationResult, SetStateStatus, StateType, TransitionDetails } from '@millrace/contracts/state.ts'
import type { Verdict } from '@millrace/contracts/verdict.ts'
import type { Config } from '../config.ts'
import { rawJson } from '../lib/json.ts'
import { formatTime } from '../lib/time.ts'
import type { RuleSettings } from '../orchestration/rule.ts'
import type { Row } from '../storage/tables.ts'

/** What came of a proposal, for flow runs and task runs alike. */
export interface SetStateResult {
  /** Whether a new state was written. */
  readonly written: boolean
  readonly result: OrchestrationResult
}

interface VerdictSource {
  readonly status: string
  readonly details: TransitionDetails
}

/** What is kept of a verdict, so that the service can explain itself later; nothing of a plain accept. */
export function toVerdictRows(
  id: string,
  runId: string,
  at: number,
  from: StateType | null,
  to: StateType,
  { status, details }: VerdictSource,
): Row<'verdict'>[] {
  if (details.type === 'accept_details' || !('rule' in details)) return []
  return [
    {
      id,
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

export const toVerdictResponse = ({ at, status, facts, from_type, to_type, ...row }: Row<'verdict'>): Verdict => ({
  ...row,
  at: formatTime(at),
  status: status as SetStateStatus,
  facts: rawJson(facts),
  from_type: from_type as StateType | null,
  to_type: to_type as StateType,
})

export const toRuleSettings = ({ concurrency, task_runs }: Config): RuleSettings => ({
  deployment_slot_wait_seconds: concurrency.deployment_slot_wait_seconds,
  deployment_lease_seconds: concurrency.initial_deployment_lease_seconds,
  tag_slot_wait_seconds: concurrency.tag_slot_wait_seconds,
  cache_key_length_max: task_runs.maximum_cache_key_length,
})
