import type { Static } from 'typebox'
import { FreeObject, nullable, response, Text, Time, Uuid } from './primitives.ts'
import { SetStateStatus, StateType } from './state.ts'

/** Why a proposed state was not simply accepted: the rule that spoke, what it said, and what it looked at. */
export const Verdict = response('Verdict', {
  id: Uuid,
  run_id: Uuid,
  at: Time,
  status: SetStateStatus,
  rule: Text,
  reason: Text,
  facts: nullable(FreeObject),
  from_type: nullable(StateType),
  to_type: StateType,
})
export type Verdict = Static<typeof Verdict>
