import Type, { type Static } from 'typebox'
import { CreatedBy, UpdatedBy } from './created-by.ts'
import { DeploymentFilter } from './deployment-filter.ts'
import { GlobalConcurrencyLimitResponse } from './global-concurrency-limit.ts'
import { bulkLimit, limit, offset, page, pageInfo } from './paging.ts'
import {
  defaulted,
  entityFields,
  FreeObject,
  Labels,
  lenientModel,
  model,
  Name,
  namedEnum,
  nameLimits,
  nullable,
  orNull,
  parameters,
  publishedDefault,
  response,
  Tags,
  Text,
  Time,
  Uuid,
} from './primitives.ts'
import { byRunsAndQueues } from './related-filters.ts'
import { DeploymentSchedule, DeploymentScheduleCreate, DeploymentScheduleUpdate } from './schedule.ts'

export const DeploymentStatus = namedEnum('DeploymentStatus', 'READY', 'NOT_READY')
export type DeploymentStatus = Static<typeof DeploymentStatus>

export const ConcurrencyLimitStrategy = namedEnum('ConcurrencyLimitStrategy', 'ENQUEUE', 'CANCEL_NEW')
export type ConcurrencyLimitStrategy = Static<typeof ConcurrencyLimitStrategy>

export const ConcurrencyOptions = lenientModel('ConcurrencyOptions', {
  collision_strategy: ConcurrencyLimitStrategy,
  grace_period_seconds: orNull(Type.Integer({ minimum: 60, maximum: 86400 })),
})
export type ConcurrencyOptions = Static<typeof ConcurrencyOptions>

/** Further fields of the version source are kept. */
export const VersionInfo = Type.Object({ type: Text, version: Text }, { $id: 'VersionInfo', additionalProperties: true })
export type VersionInfo = Static<typeof VersionInfo>

export const DeploymentResponse = response('DeploymentResponse', {
  ...entityFields,
  name: Text,
  version: nullable(Text),
  description: nullable(Text),
  flow_id: Uuid,
  paused: Type.Boolean(),
  schedules: Type.Array(DeploymentSchedule),
  // Always null: the limit is in global_concurrency_limit. Existing clients still look for the field.
  concurrency_limit: Type.Unsafe<null>({ anyOf: [{ type: 'integer' }, { type: 'null' }], deprecated: true }),
  global_concurrency_limit: nullable(GlobalConcurrencyLimitResponse),
  concurrency_options: nullable(ConcurrencyOptions),
  job_variables: FreeObject,
  parameters: FreeObject,
  tags: Tags,
  labels: Labels,
  work_queue_name: nullable(Text),
  work_queue_id: nullable(Uuid),
  last_polled: nullable(Time),
  parameter_openapi_schema: nullable(FreeObject),
  path: nullable(Text),
  pull_steps: nullable(Type.Array(FreeObject)),
  entrypoint: nullable(Text),
  storage_document_id: nullable(Uuid),
  infrastructure_document_id: nullable(Uuid),
  created_by: nullable(CreatedBy),
  updated_by: nullable(UpdatedBy),
  work_pool_name: nullable(Text),
  status: nullable(DeploymentStatus),
  enforce_parameter_schema: Type.Boolean(),
})
export type DeploymentResponse = Static<typeof DeploymentResponse>

const Limit = Type.Integer({ exclusiveMinimum: 0 })

/** Like other names in paths, but the v3 API accepts an empty one. */
const DeploymentName = Type.String({ pattern: '^[^/%&><]*$', ...nameLimits })

/** Keys for pools and queues of clients before 3.0. */
const ignoredKeys = ['worker_pool_queue_id', 'worker_pool_name', 'worker_pool_queue_name', 'work_pool_queue_name']

/**
 * Creating an existing deployment updates it: omitted fields keep their values, except schedules, parameters and labels, which are
 * replaced. Therefore the server fills in most defaults once it knows that the deployment is new, and parameters are validated
 * immediately only if `enforce_parameter_schema` was sent.
 */
export const DeploymentCreate = model(
  'DeploymentCreate',
  {
    name: DeploymentName,
    flow_id: Uuid,
    paused: publishedDefault(Type.Boolean(), false),
    schedules: defaulted(Type.Array(DeploymentScheduleCreate), []),
    concurrency_limit: Type.Optional(nullable(Limit)),
    concurrency_options: Type.Optional(nullable(ConcurrencyOptions)),
    global_concurrency_limit_id: Type.Optional(nullable(Uuid)),
    enforce_parameter_schema: publishedDefault(Type.Boolean(), true),
    parameter_openapi_schema: Type.Optional(nullable(FreeObject)),
    parameters: defaulted(FreeObject, {}),
    tags: Type.Optional(Tags),
    labels: defaulted(nullable(Labels), {}),
    pull_steps: Type.Optional(nullable(Type.Array(FreeObject))),
    work_queue_name: Type.Optional(nullable(Name)),
    work_pool_name: Type.Optional(nullable(Name)),
    storage_document_id: Type.Optional(nullable(Uuid)),
    infrastructure_document_id: Type.Optional(nullable(Uuid)),
    description: Type.Optional(nullable(Text)),
    path: Type.Optional(nullable(Text)),
    version: Type.Optional(nullable(Text)),
    entrypoint: Type.Optional(nullable(Text)),
    job_variables: Type.Optional(FreeObject),
    version_info: Type.Optional(nullable(VersionInfo)),
  },
  ignoredKeys,
)
export type DeploymentCreate = Static<typeof DeploymentCreate>

export const DeploymentUpdate = model(
  'DeploymentUpdate',
  {
    version: Type.Optional(nullable(Text)),
    description: Type.Optional(nullable(Text)),
    paused: publishedDefault(Type.Boolean(), false),
    schedules: Type.Optional(Type.Array(DeploymentScheduleUpdate)),
    concurrency_limit: Type.Optional(nullable(Limit)),
    concurrency_options: Type.Optional(nullable(ConcurrencyOptions)),
    global_concurrency_limit_id: Type.Optional(nullable(Uuid)),
    parameters: Type.Optional(nullable(FreeObject)),
    parameter_openapi_schema: Type.Optional(nullable(FreeObject)),
    tags: Type.Optional(Tags),
    work_queue_name: Type.Optional(nullable(Name)),
    work_pool_name: Type.Optional(nullable(Name)),
    path: Type.Optional(nullable(Text)),
    job_variables: Type.Optional(nullable(FreeObject)),
    pull_steps: Type.Optional(nullable(Type.Array(FreeObject))),
    entrypoint: Type.Optional(nullable(Text)),
    storage_document_id: Type.Optional(nullable(Uuid)),
    infrastructure_document_id: Type.Optional(nullable(Uuid)),
    enforce_parameter_schema: Type.Optional(nullable(Type.Boolean())),
    version_info: Type.Optional(nullable(VersionInfo)),
  },
  ignoredKeys,
)
export type DeploymentUpdate = Static<typeof DeploymentUpdate>

export const DeploymentSort = namedEnum('DeploymentSort', 'CREATED_DESC', 'UPDATED_DESC', 'NAME_ASC', 'NAME_DESC')
export type DeploymentSort = Static<typeof DeploymentSort>

const sort = defaulted(DeploymentSort, 'NAME_ASC')

export const DeploymentsCountBody = parameters(byRunsAndQueues)
export type DeploymentsCountBody = Static<typeof DeploymentsCountBody>
export const DeploymentsFilterBody = parameters({ offset, ...byRunsAndQueues, sort, limit })
export type DeploymentsFilterBody = Static<typeof DeploymentsFilterBody>
export const DeploymentsPaginateBody = parameters({ page, ...byRunsAndQueues, sort, limit })
export type DeploymentsPaginateBody = Static<typeof DeploymentsPaginateBody>
export const DeploymentsBulkDeleteBody = parameters({ deployments: orNull(DeploymentFilter), limit: bulkLimit })
export type DeploymentsBulkDeleteBody = Static<typeof DeploymentsBulkDeleteBody>
export const DeploymentsScheduledFlowRunsBody = parameters({ deployment_ids: Type.Array(Uuid), scheduled_before: orNull(Time), limit })
export type DeploymentsScheduledFlowRunsBody = Static<typeof DeploymentsScheduledFlowRunsBody>

/** Times in the past create missed runs. */
export const DeploymentScheduleBody = parameters({
  start_time: orNull(Time),
  end_time: orNull(Time),
  min_time: orNull(Type.Number()),
  min_runs: orNull(Type.Integer()),
  max_runs: orNull(Type.Integer()),
})
export type DeploymentScheduleBody = Static<typeof DeploymentScheduleBody>

export const DeploymentPaginationResponse = response('DeploymentPaginationResponse', { results: Type.Array(DeploymentResponse), ...pageInfo })
export type DeploymentPaginationResponse = Static<typeof DeploymentPaginationResponse>

export const DeploymentBulkDeleteResponse = response('DeploymentBulkDeleteResponse', { deleted: Type.Array(Uuid) })
export type DeploymentBulkDeleteResponse = Static<typeof DeploymentBulkDeleteResponse>
