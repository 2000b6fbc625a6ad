import Type, { type Static } from 'typebox'
import {
  defaulted,
  emptyDefault,
  FreeJson,
  FreeObject,
  model,
  Name,
  namedEnum,
  nullable,
  orNull,
  parameters,
  response,
  Text,
  Time,
  Uuid,
} from './primitives.ts'

export const stateTypes = ['SCHEDULED', 'PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED', 'PAUSED', 'CANCELLING'] as const
export const StateType = namedEnum('StateType', ...stateTypes)
export type StateType = Static<typeof StateType>

export const terminalTypes: readonly StateType[] = ['COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED']
export const isTerminal = (type: StateType | null | undefined): boolean => type != null && terminalTypes.includes(type)

/** Drops unknown keys, because clients of other versions send more fields. */
export const StateDetails = Type.Object(
  {
    flow_run_id: orNull(Uuid),
    task_run_id: orNull(Uuid),
    child_flow_run_id: orNull(Uuid),
    scheduled_time: orNull(Time),
    cache_key: orNull(Text),
    cache_expiration: orNull(Time),
    deferred: defaulted(nullable(Type.Boolean()), false),
    untrackable_result: defaulted(Type.Boolean(), false),
    pause_timeout: orNull(Time),
    pause_reschedule: defaulted(Type.Boolean(), false),
    pause_key: orNull(Text),
    run_input_keyset: orNull(Type.Record(Type.String(), Text)),
    refresh_cache: orNull(Type.Boolean()),
    retriable: orNull(Type.Boolean()),
    transition_id: orNull(Uuid),
    task_parameters_id: orNull(Uuid),
    traceparent: orNull(Text),
    deployment_concurrency_lease_id: orNull(Uuid),
  },
  { $id: 'StateDetails' },
)
export type StateDetails = Static<typeof StateDetails>

export const StateCreate = model('StateCreate', {
  type: StateType,
  name: orNull(Name),
  message: orNull(Text),
  data: orNull(FreeJson),
  state_details: emptyDefault(StateDetails),
})
export type StateCreate = Static<typeof StateCreate>

export const State = response('State', {
  id: Uuid,
  type: StateType,
  name: nullable(Text),
  timestamp: Time,
  message: nullable(Text),
  data: nullable(FreeJson),
  state_details: StateDetails,
})
export type State = Static<typeof State>

export const SetStateStatus = namedEnum('SetStateStatus', 'ACCEPT', 'REJECT', 'ABORT', 'WAIT')
export type SetStateStatus = Static<typeof SetStateStatus>

/** `rule` and `facts` are extensions of Millrace: the deciding rule and its inputs. */
const reasonFields = { reason: orNull(Text), rule: Type.Optional(Text), facts: Type.Optional(FreeObject) }

export const StateAcceptDetails = response('StateAcceptDetails', { type: defaulted(Type.Literal('accept_details'), 'accept_details') })
export const StateRejectDetails = response('StateRejectDetails', {
  type: defaulted(Type.Literal('reject_details'), 'reject_details'),
  ...reasonFields,
})
export const StateAbortDetails = response('StateAbortDetails', { type: defaulted(Type.Literal('abort_details'), 'abort_details'), ...reasonFields })
export const StateWaitDetails = response('StateWaitDetails', {
  type: defaulted(Type.Literal('wait_details'), 'wait_details'),
  delay_seconds: Type.Integer(),
  ...reasonFields,
})

export const TransitionDetails = Type.Union([StateAcceptDetails, StateRejectDetails, StateAbortDetails, StateWaitDetails])
export type TransitionDetails = Static<typeof TransitionDetails>

export const OrchestrationResult = response('OrchestrationResult', { state: nullable(State), status: SetStateStatus, details: TransitionDetails })
export type OrchestrationResult = Static<typeof OrchestrationResult>

/** `force` skips the rules that could change or reject the state. */
export const proposal = { state: StateCreate, force: defaulted(Type.Boolean(), false) }

/** For flow runs and task runs. */
export const SetStateBody = parameters(proposal)
export type SetStateBody = Static<typeof SetStateBody>

/** Why a proposed state was not plainly accepted: the deciding rule, its reason and its inputs. */
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
