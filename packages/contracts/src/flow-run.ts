import Type, { type Static } from 'typebox'
import { CreatedBy } from './created-by.ts'
import { FlowRunFilter } from './flow-run-filter.ts'
import { bulkLimit, limit, offset, page, pageInfo } from './paging.ts'
import {
  defaulted,
  emptyDefault,
  entityFields,
  enumOf,
  FreeObject,
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
import { byRunsAndQueues } from './related-filters.ts'
import { proposal, SetStateStatus, State, StateCreate, StateType, TransitionDetails } from './state.ts'

export const RetryType = enumOf('in_process', 'reschedule')
export type RetryType = Static<typeof RetryType>

export const FlowRunPolicy = lenientModel('FlowRunPolicy', {
  max_retries: defaulted(Type.Integer(), 0, { deprecated: true }),
  retry_delay_seconds: defaulted(Type.Number(), 0, { deprecated: true }),
  retries: orNull(Type.Integer()),
  retry_delay: orNull(Type.Integer()),
  pause_keys: orNull(Type.Array(Text, { uniqueItems: true })),
  resuming: defaulted(nullable(Type.Boolean()), false),
  retry_type: orNull(RetryType),
})
export type FlowRunPolicy = Static<typeof FlowRunPolicy>

const fields = {
  ...entityFields,
  name: Text,
  flow_id: Uuid,
  state_id: nullable(Uuid),
  deployment_id: nullable(Uuid),
  deployment_version: nullable(Text),
  work_queue_id: nullable(Uuid),
  work_queue_name: nullable(Text),
  flow_version: nullable(Text),
  parameters: FreeObject,
  idempotency_key: nullable(Text),
  context: FreeObject,
  empirical_policy: FlowRunPolicy,
  tags: Tags,
  labels: Labels,
  parent_task_run_id: nullable(Uuid),
  state_type: nullable(StateType),
  state_name: nullable(Text),
  run_count: Type.Integer(),
  expected_start_time: nullable(Time),
  next_scheduled_start_time: nullable(Time),
  start_time: nullable(Time),
  end_time: nullable(Time),
  total_run_time: Type.Number(),
  estimated_run_time: Type.Number(),
  estimated_start_time_delta: Type.Number(),
  auto_scheduled: Type.Boolean(),
  infrastructure_document_id: nullable(Uuid),
  infrastructure_pid: nullable(Text),
  created_by: nullable(CreatedBy),
  state: nullable(State),
  job_variables: nullable(FreeObject),
}

/** The flow run in a worker poll. All other responses include the work pool. */
export const FlowRunResponse = response('FlowRunResponse', { ...fields, work_pool_id: nullable(Uuid), work_pool_name: nullable(Text) })
export type FlowRunResponse = Static<typeof FlowRunResponse>

/** An omitted, null or empty name is replaced by a random one. */
const name = Type.Optional(nullable(Name))

export const FlowRunCreate = model('FlowRunCreate', {
  state: orNull(StateCreate),
  name,
  flow_id: Uuid,
  flow_version: orNull(Text),
  parameters: defaulted(FreeObject, {}),
  context: defaulted(FreeObject, {}),
  parent_task_run_id: orNull(Uuid),
  infrastructure_document_id: orNull(Uuid),
  empirical_policy: emptyDefault(FlowRunPolicy),
  tags: defaulted(Tags, []),
  labels: defaulted(nullable(Labels), {}),
  idempotency_key: orNull(Name),
  work_pool_name: orNull(Name),
  work_queue_name: orNull(Name),
  job_variables: orNull(FreeObject),
  deployment_id: orNull(Uuid, { deprecated: true }),
})
export type FlowRunCreate = Static<typeof FlowRunCreate>

export const DeploymentFlowRunCreate = model('DeploymentFlowRunCreate', {
  state: orNull(StateCreate),
  name,
  parameters: defaulted(FreeObject, {}),
  enforce_parameter_schema: orNull(Type.Boolean()),
  context: defaulted(FreeObject, {}),
  infrastructure_document_id: orNull(Uuid),
  empirical_policy: emptyDefault(FlowRunPolicy),
  tags: defaulted(Tags, []),
  idempotency_key: orNull(Name),
  labels: orNull(Labels),
  parent_task_run_id: orNull(Uuid),
  work_queue_name: orNull(Name),
  job_variables: defaulted(nullable(FreeObject), {}),
})
export type DeploymentFlowRunCreate = Static<typeof DeploymentFlowRunCreate>

export const FlowRunUpdate = model('FlowRunUpdate', {
  name,
  flow_version: Type.Optional(nullable(Text)),
  parameters: Type.Optional(FreeObject),
  empirical_policy: Type.Optional(FlowRunPolicy),
  tags: Type.Optional(Tags),
  infrastructure_pid: Type.Optional(nullable(Text)),
  job_variables: Type.Optional(nullable(FreeObject)),
})
export type FlowRunUpdate = Static<typeof FlowRunUpdate>

export const FlowRunSort = namedEnum(
  'FlowRunSort',
  'ID_DESC',
  'START_TIME_ASC',
  'START_TIME_DESC',
  'EXPECTED_START_TIME_ASC',
  'EXPECTED_START_TIME_DESC',
  'NAME_ASC',
  'NAME_DESC',
  'NEXT_SCHEDULED_START_TIME_ASC',
  'END_TIME_DESC',
)
export type FlowRunSort = Static<typeof FlowRunSort>

const sort = defaulted(FlowRunSort, 'ID_DESC')

/** `count_up_to` is an extension of Millrace: a client that shows "more than 10,000" needs no exact count. */
export const FlowRunsCountBody = parameters({ ...byRunsAndQueues, count_up_to: orNull(Type.Integer({ minimum: 1 }), { 'x-own': true }) })
export type FlowRunsCountBody = Static<typeof FlowRunsCountBody>
export const FlowRunsLatenessBody = parameters(byRunsAndQueues)
export type FlowRunsLatenessBody = Static<typeof FlowRunsLatenessBody>
export const FlowRunsFilterBody = parameters({ sort, offset, ...byRunsAndQueues, limit })
export type FlowRunsFilterBody = Static<typeof FlowRunsFilterBody>
export const FlowRunsPaginateBody = parameters({ sort, page, ...byRunsAndQueues, limit })
export type FlowRunsPaginateBody = Static<typeof FlowRunsPaginateBody>
export const FlowRunsBulkDeleteBody = parameters({ flow_runs: orNull(FlowRunFilter), limit: bulkLimit })
export type FlowRunsBulkDeleteBody = Static<typeof FlowRunsBulkDeleteBody>
export const FlowRunsBulkSetStateBody = parameters({ flow_runs: orNull(FlowRunFilter), ...proposal, limit: bulkLimit })
export type FlowRunsBulkSetStateBody = Static<typeof FlowRunsBulkSetStateBody>
export const FlowRunResumeBody = parameters({ run_input: orNull(FreeObject) })
export type FlowRunResumeBody = Static<typeof FlowRunResumeBody>

/** The body is the labels. They are merged into those of the run. */
export const FlowRunLabelsBody = Labels
export type FlowRunLabelsBody = Static<typeof FlowRunLabelsBody>

/** The body of a bulk create from a deployment is the list itself. */
export const DeploymentFlowRunsCreateBody = Type.Array(DeploymentFlowRunCreate)
export type DeploymentFlowRunsCreateBody = Static<typeof DeploymentFlowRunsCreateBody>

export const FlowRunPaginationResponse = response('FlowRunPaginationResponse', { results: Type.Array(FlowRunResponse), ...pageInfo })
export type FlowRunPaginationResponse = Static<typeof FlowRunPaginationResponse>

/** The average in seconds; null if no run was late. */
export const FlowRunsLateness = nullable(Type.Number())
export type FlowRunsLateness = Static<typeof FlowRunsLateness>

export const FlowRunBulkDeleteResponse = response('FlowRunBulkDeleteResponse', { deleted: Type.Array(Uuid) })
export type FlowRunBulkDeleteResponse = Static<typeof FlowRunBulkDeleteResponse>

export const FlowRunOrchestrationResult = response('FlowRunOrchestrationResult', {
  flow_run_id: Uuid,
  status: SetStateStatus,
  state: nullable(State),
  details: TransitionDetails,
})
export type FlowRunOrchestrationResult = Static<typeof FlowRunOrchestrationResult>

export const FlowRunBulkSetStateResponse = response('FlowRunBulkSetStateResponse', { results: Type.Array(FlowRunOrchestrationResult) })
export type FlowRunBulkSetStateResponse = Static<typeof FlowRunBulkSetStateResponse>

export const FlowRunCreateResult = response('FlowRunCreateResult', {
  flow_run_id: nullable(Uuid),
  status: enumOf('CREATED', 'FAILED'),
  error: nullable(Text),
})
export type FlowRunCreateResult = Static<typeof FlowRunCreateResult>

export const FlowRunBulkCreateResponse = response('FlowRunBulkCreateResponse', { results: Type.Array(FlowRunCreateResult) })
export type FlowRunBulkCreateResponse = Static<typeof FlowRunBulkCreateResponse>
