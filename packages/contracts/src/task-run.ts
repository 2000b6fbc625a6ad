import Type, { type Static } from 'typebox'
import { limit, offset, page, pageInfo } from './paging.ts'
import {
  defaulted,
  emptyDefault,
  entityFields,
  Key,
  Labels,
  lenientModel,
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
import { byRuns } from './related-filters.ts'
import { State, StateCreate, StateType } from './state.ts'

/** One delay for all attempts, or one per attempt; the last one repeats. */
const RetryDelay = Type.Union([
  Type.Integer(),
  Type.Number(),
  Type.Array(Type.Integer(), { maxItems: 50 }),
  Type.Array(Type.Number(), { maxItems: 50 }),
])

export const TaskRunPolicy = lenientModel('TaskRunPolicy', {
  max_retries: defaulted(Type.Integer(), 0, { deprecated: true }),
  retry_delay_seconds: defaulted(Type.Number(), 0, { deprecated: true }),
  retries: orNull(Type.Integer()),
  retry_delay: orNull(RetryDelay),
  retry_jitter_factor: orNull(Type.Number({ minimum: 0 })),
})
export type TaskRunPolicy = Static<typeof TaskRunPolicy>

export const TaskRunResult = lenientModel('TaskRunResult', { input_type: defaulted(Type.Literal('task_run'), 'task_run'), id: Uuid })
export type TaskRunResult = Static<typeof TaskRunResult>

export const FlowRunResult = lenientModel('FlowRunResult', { input_type: defaulted(Type.Literal('flow_run'), 'flow_run'), id: Uuid })
export type FlowRunResult = Static<typeof FlowRunResult>

export const Parameter = lenientModel('Parameter', { input_type: defaulted(Type.Literal('parameter'), 'parameter'), name: Text })
export type Parameter = Static<typeof Parameter>

export const Constant = lenientModel('Constant', { input_type: defaulted(Type.Literal('constant'), 'constant'), type: Text })
export type Constant = Static<typeof Constant>

/** The sources of the inputs of a run by argument name. */
export const TaskInputs = Type.Record(Type.String(), Type.Array(Type.Union([TaskRunResult, FlowRunResult, Parameter, Constant])))
export type TaskInputs = Static<typeof TaskInputs>

export const taskRunFields = {
  ...entityFields,
  name: Text,
  flow_run_id: nullable(Uuid),
  task_key: Text,
  dynamic_key: Text,
  cache_key: nullable(Text),
  cache_expiration: nullable(Time),
  task_version: nullable(Text),
  empirical_policy: TaskRunPolicy,
  tags: Tags,
  labels: Labels,
  state_id: nullable(Uuid),
  task_inputs: TaskInputs,
  state_type: nullable(StateType),
  state_name: nullable(Text),
  run_count: Type.Integer(),
  flow_run_run_count: Type.Integer(),
  expected_start_time: nullable(Time),
  next_scheduled_start_time: nullable(Time),
  start_time: nullable(Time),
  end_time: nullable(Time),
  total_run_time: Type.Number(),
  estimated_run_time: Type.Number(),
  estimated_start_time_delta: Type.Number(),
  state: nullable(State),
}

export const TaskRun = response('TaskRun', taskRunFields)
export type TaskRun = Static<typeof TaskRun>

/** The reduced run of paginate: without state type and name, counts and keys other than the task key. */
export const TaskRunResponse = response('TaskRunResponse', {
  ...entityFields,
  name: Text,
  flow_run_id: nullable(Uuid),
  task_key: Text,
  state_id: nullable(Uuid),
  state: nullable(State),
  task_version: nullable(Text),
  task_inputs: TaskInputs,
  empirical_policy: TaskRunPolicy,
  tags: Tags,
  start_time: nullable(Time),
  end_time: nullable(Time),
  total_run_time: Type.Number(),
  estimated_run_time: Type.Number(),
  estimated_start_time_delta: Type.Number(),
})
export type TaskRunResponse = Static<typeof TaskRunResponse>

/** An omitted, null or empty name is replaced by a random one. */
const name = Type.Optional(nullable(Name))

export const TaskRunCreate = model('TaskRunCreate', {
  id: orNull(Uuid),
  state: orNull(StateCreate),
  name,
  flow_run_id: orNull(Uuid),
  task_key: Key,
  dynamic_key: Key,
  cache_key: orNull(Text),
  cache_expiration: orNull(Time),
  task_version: orNull(Text),
  empirical_policy: emptyDefault(TaskRunPolicy),
  tags: defaulted(Tags, []),
  labels: defaulted(nullable(Labels), {}),
  task_inputs: defaulted(TaskInputs, {}),
})
export type TaskRunCreate = Static<typeof TaskRunCreate>

export const TaskRunUpdate = model('TaskRunUpdate', { name })
export type TaskRunUpdate = Static<typeof TaskRunUpdate>

export const TaskRunSort = namedEnum(
  'TaskRunSort',
  'ID_DESC',
  'EXPECTED_START_TIME_ASC',
  'EXPECTED_START_TIME_DESC',
  'NAME_ASC',
  'NAME_DESC',
  'NEXT_SCHEDULED_START_TIME_ASC',
  'END_TIME_DESC',
  'DURATION_DESC',
  'DURATION_ASC',
)
export type TaskRunSort = Static<typeof TaskRunSort>

const sort = defaulted(TaskRunSort, 'ID_DESC')

export const TaskRunsCountBody = parameters(byRuns)
export type TaskRunsCountBody = Static<typeof TaskRunsCountBody>
export const TaskRunsFilterBody = parameters({ sort, offset, ...byRuns, limit })
export type TaskRunsFilterBody = Static<typeof TaskRunsFilterBody>
export const TaskRunsPaginateBody = parameters({ sort, page, ...byRuns, limit })
export type TaskRunsPaginateBody = Static<typeof TaskRunsPaginateBody>

export const TaskRunPaginationResponse = response('TaskRunPaginationResponse', { results: Type.Array(TaskRunResponse), ...pageInfo })
export type TaskRunPaginationResponse = Static<typeof TaskRunPaginationResponse>
