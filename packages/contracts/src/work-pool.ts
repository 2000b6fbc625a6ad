import Type, { type Static } from 'typebox'
import { FlowRunResponse } from './flow-run.ts'
import { limit, offset } from './paging.ts'
import {
  defaulted,
  emptyDefault,
  entityFields,
  FreeObject,
  model,
  namedEnum,
  nameLimits,
  nullable,
  orNull,
  PathName,
  parameters,
  response,
  Text,
  Time,
  Uuid,
} from './primitives.ts'
import { WorkPoolFilter } from './work-pool-filter.ts'

export const defaultPoolType = 'service-agent'

export const WorkPoolStatus = namedEnum('WorkPoolStatus', 'READY', 'NOT_READY', 'PAUSED')
export type WorkPoolStatus = Static<typeof WorkPoolStatus>

export const WorkPoolStorageConfiguration = model('WorkPoolStorageConfiguration', {
  bundle_upload_step: orNull(FreeObject),
  bundle_execution_step: orNull(FreeObject),
  default_result_storage_block_id: orNull(Uuid),
})
export type WorkPoolStorageConfiguration = Static<typeof WorkPoolStorageConfiguration>

const Limit = Type.Integer({ minimum: 0 })

export const WorkPoolResponse = response('WorkPoolResponse', {
  ...entityFields,
  name: PathName,
  description: nullable(Text),
  type: Text,
  base_job_template: FreeObject,
  is_paused: Type.Boolean(),
  concurrency_limit: nullable(Limit),
  status: nullable(WorkPoolStatus),
  default_queue_id: nullable(Uuid),
  storage_configuration: WorkPoolStorageConfiguration,
  active_slots: nullable(Type.Integer()),
})
export type WorkPoolResponse = Static<typeof WorkPoolResponse>

/** Not only quotes and blanks, which would look like an empty name. */
const Name = Type.String({ pattern: `^(?=.*[^'" ])[^/%&><]+$`, minLength: 1, ...nameLimits })

export const WorkPoolCreate = model('WorkPoolCreate', {
  name: Name,
  description: orNull(Text),
  type: defaulted(Text, defaultPoolType),
  base_job_template: defaulted(FreeObject, {}),
  is_paused: defaulted(Type.Boolean(), false),
  concurrency_limit: orNull(Limit),
  storage_configuration: emptyDefault(WorkPoolStorageConfiguration),
})
export type WorkPoolCreate = Static<typeof WorkPoolCreate>

export const WorkPoolUpdate = model('WorkPoolUpdate', {
  description: Type.Optional(nullable(Text)),
  is_paused: Type.Optional(nullable(Type.Boolean())),
  base_job_template: Type.Optional(nullable(FreeObject)),
  concurrency_limit: Type.Optional(nullable(Limit)),
  storage_configuration: Type.Optional(nullable(WorkPoolStorageConfiguration)),
})
export type WorkPoolUpdate = Static<typeof WorkPoolUpdate>

export const WorkPoolsCountBody = parameters({ work_pools: orNull(WorkPoolFilter) })
export type WorkPoolsCountBody = Static<typeof WorkPoolsCountBody>
export const WorkPoolsFilterBody = parameters({ work_pools: orNull(WorkPoolFilter), offset, limit })
export type WorkPoolsFilterBody = Static<typeof WorkPoolsFilterBody>
export const WorkPoolScheduledFlowRunsBody = parameters({
  work_queue_names: orNull(Type.Array(Text)),
  scheduled_before: orNull(Time),
  scheduled_after: orNull(Time),
  limit,
})
export type WorkPoolScheduledFlowRunsBody = Static<typeof WorkPoolScheduledFlowRunsBody>

export const WorkerFlowRunResponse = response('WorkerFlowRunResponse', { work_pool_id: Uuid, work_queue_id: Uuid, flow_run: FlowRunResponse })
export type WorkerFlowRunResponse = Static<typeof WorkerFlowRunResponse>
