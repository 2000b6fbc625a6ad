import type { SetStateStatus, StateType, TransitionDetails, Verdict } from '@millrace/contracts/state.ts'
import { rawJson } from '../lib/json.ts'
import { formatTime } from '../lib/time.ts'
import type { Row } from '../storage/tables.ts'

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
