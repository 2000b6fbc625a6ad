import Type, { type Static } from 'typebox'
import {
  Duration,
  emptyDefault,
  FreeJson,
  Key,
  Labels,
  model,
  Name,
  namedEnum,
  nullable,
  orNull,
  parameters,
  response,
  Tags,
  Text,
  Time,
  Uuid,
} from './primitives.ts'
import { OrchestrationResult, StateCreate, StateDetails, StateType } from './state.ts'
import { TaskInputs, TaskRunPolicy } from './task-run.ts'

/** The records of a request. More are sent in several requests. */
export const reportedRecordsMax = 1000

/** The proposals for one flow run in a request: so many are recognized when the request is repeated. */
export const reportedProposalsMax = 4

const Count = Type.Integer({ minimum: 0 })

/** `id` makes a record that is sent again recognizable. `number` rises within a request. */
const numbered = { number: Count, id: Uuid, flow_run_id: Uuid }

/** Only the process that runs the attempt may report it. */
const ofAttempt = { ...numbered, attempt: Count }

/** Characters that PostgreSQL cannot store are removed. */
const AnyText = Type.String({ 'x-text': false })

/** What a client knows of a task run. Fields that are left out keep their value. */
export const ReportedTaskRun = model('ReportedTaskRun', {
  id: Uuid,
  task_key: Key,
  dynamic_key: Key,
  name: Type.Optional(Name),
  cache_key: Type.Optional(nullable(Text)),
  cache_expiration: Type.Optional(nullable(Time)),
  task_version: Type.Optional(nullable(Text)),
  empirical_policy: Type.Optional(TaskRunPolicy),
  tags: Type.Optional(Tags),
  labels: Type.Optional(Labels),
  task_inputs: Type.Optional(TaskInputs),
  run_count: Type.Optional(Count),
  flow_run_run_count: Type.Optional(Count),
  expected_start_time: Type.Optional(nullable(Time)),
  next_scheduled_start_time: Type.Optional(nullable(Time)),
  start_time: Type.Optional(nullable(Time)),
  end_time: Type.Optional(nullable(Time)),
  total_run_time: Type.Optional(Duration),
})
export type ReportedTaskRun = Static<typeof ReportedTaskRun>

/** A state that a task run has entered, by the clock of the client. Its id is that of the record. */
export const ReportedState = model('ReportedState', {
  type: StateType,
  name: orNull(Name),
  timestamp: Time,
  message: orNull(AnyText),
  data: orNull(FreeJson),
  state_details: emptyDefault(StateDetails),
})
export type ReportedState = Static<typeof ReportedState>

/** A task run and its first state, `Pending` at `timestamp`. */
export const CreatedRecord = model('CreatedRecord', { kind: Type.Literal('created'), ...ofAttempt, timestamp: Time, task_run: ReportedTaskRun })

export const TaskStateRecord = model('TaskStateRecord', {
  kind: Type.Literal('task_state'),
  ...ofAttempt,
  task_run: ReportedTaskRun,
  state: ReportedState,
})

/** A process that starts may not know the attempt: without it the rules alone decide, and the answer has the attempt. */
export const StateRecord = model('StateRecord', {
  kind: Type.Literal('state'),
  ...numbered,
  attempt: orNull(Count),
  state: StateCreate,
})

export const FinishedRecord = model('FinishedRecord', { kind: Type.Literal('finished'), ...ofAttempt, state: StateCreate })

export const LogRecord = model('LogRecord', {
  kind: Type.Literal('log'),
  ...ofAttempt,
  task_run_id: orNull(Uuid),
  name: AnyText,
  level: Type.Integer(),
  message: AnyText,
  timestamp: Time,
})

export const RunRecord = Type.Union([CreatedRecord, TaskStateRecord, StateRecord, FinishedRecord, LogRecord])
export type RunRecord = Static<typeof RunRecord>

const records = Type.Array(RunRecord, { 'x-items-max': reportedRecordsMax })

export const RunsReportBody = parameters({ records })
export type RunsReportBody = Static<typeof RunsReportBody>

export const RecordStatus = namedEnum('RecordStatus', 'accepted', 'rejected', 'refused')
export type RecordStatus = Static<typeof RecordStatus>

/** Why a record was refused: an error of the API. */
export const RecordError = response('RecordError', { code: Text, message: Text })
export type RecordError = Static<typeof RecordError>

/**
 * `accepted`: stored. `rejected`: the rules decided otherwise about a state of a flow run, as `result` says. `refused`: nothing was stored, as `error` says.
 * `attempt` is the attempt of the flow run after the record.
 */
export const RecordAnswer = response('RecordAnswer', {
  number: Type.Integer(),
  status: RecordStatus,
  attempt: nullable(Type.Integer()),
  result: nullable(OrchestrationResult),
  error: nullable(RecordError),
})
export type RecordAnswer = Static<typeof RecordAnswer>

export const RunsReportResponse = response('RunsReportResponse', { answers: Type.Array(RecordAnswer) })
export type RunsReportResponse = Static<typeof RunsReportResponse>

/** A message of a client over the socket `/runs/report`. */
export const ReportFrame = model('ReportFrame', { type: Type.Literal('report'), records })
export type ReportFrame = Static<typeof ReportFrame>

/** What the server sends for each message, in the same order: the answers, or why none of the records was read. */
export type ReportedFrame =
  | { readonly type: 'reported'; readonly answers: readonly RecordAnswer[] }
  | { readonly type: 'refused'; readonly error: RecordError }
