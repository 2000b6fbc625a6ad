import Type, { type Static } from 'typebox'
import { limit, offset } from './paging.ts'
import {
  defaulted,
  entityFields,
  lenientModel,
  model,
  NewPathName,
  namedEnum,
  nullable,
  orNull,
  PathName,
  parameters,
  publishedDefault,
  response,
  Tags,
  Text,
  Time,
  Uuid,
} from './primitives.ts'
import { WorkQueueFilter } from './work-queue-filter.ts'

export const WorkQueueStatus = namedEnum('WorkQueueStatus', 'READY', 'NOT_READY', 'PAUSED')
export type WorkQueueStatus = Static<typeof WorkQueueStatus>

export const QueueFilter = lenientModel('QueueFilter', { tags: orNull(Tags), deployment_ids: orNull(Type.Array(Uuid)) })
export type QueueFilter = Static<typeof QueueFilter>

const Limit = Type.Integer({ minimum: 0 })

/** 1 is served first. */
const Priority = Type.Integer({ exclusiveMinimum: 0 })

const deprecatedFilter = Type.Union([QueueFilter, Type.Null()], { deprecated: true })

const fields = {
  ...entityFields,
  name: PathName,
  description: nullable(Text),
  is_paused: Type.Boolean(),
  concurrency_limit: nullable(Limit),
  priority: Priority,
  work_pool_id: nullable(Uuid),
  filter: deprecatedFilter,
  last_polled: nullable(Time),
}

export const WorkQueue = response('WorkQueue', fields)
export type WorkQueue = Static<typeof WorkQueue>

export const WorkQueueResponse = response('WorkQueueResponse', {
  ...fields,
  work_pool_name: nullable(Text),
  status: nullable(WorkQueueStatus),
  active_slots: nullable(Type.Integer()),
})
export type WorkQueueResponse = Static<typeof WorkQueueResponse>

/**
 * The priority null, which existing clients send, is the lowest free one of the pool. No priority means the same for a queue of a pool, and 1 for a queue without a
 * pool (`POST /work_queues/`), as the specification says.
 */
export const WorkQueueCreate = model('WorkQueueCreate', {
  name: NewPathName,
  description: defaulted(nullable(Text), ''),
  is_paused: defaulted(Type.Boolean(), false),
  concurrency_limit: orNull(Limit),
  priority: Type.Optional(nullable(Priority)),
  filter: orNull(QueueFilter, { deprecated: true }),
})
export type WorkQueueCreate = Static<typeof WorkQueueCreate>

export const WorkQueueUpdate = model('WorkQueueUpdate', {
  name: Type.Optional(nullable(NewPathName)),
  description: Type.Optional(nullable(Text)),
  is_paused: publishedDefault(Type.Boolean(), false),
  concurrency_limit: Type.Optional(nullable(Limit)),
  priority: Type.Optional(nullable(Priority)),
  last_polled: Type.Optional(nullable(Time)),
  filter: Type.Optional(deprecatedFilter),
})
export type WorkQueueUpdate = Static<typeof WorkQueueUpdate>

export const WorkQueuesFilterBody = parameters({ offset, work_queues: orNull(WorkQueueFilter), limit })
export type WorkQueuesFilterBody = Static<typeof WorkQueuesFilterBody>
export const WorkQueueRunsBody = parameters({ scheduled_before: orNull(Time), limit })
export type WorkQueueRunsBody = Static<typeof WorkQueueRunsBody>

export const WorkQueueHealthPolicy = response('WorkQueueHealthPolicy', {
  maximum_late_runs: nullable(Type.Integer()),
  maximum_seconds_since_last_polled: nullable(Type.Integer()),
})
export type WorkQueueHealthPolicy = Static<typeof WorkQueueHealthPolicy>

export const WorkQueueStatusDetail = response('WorkQueueStatusDetail', {
  healthy: Type.Boolean(),
  late_runs_count: Type.Integer(),
  last_polled: nullable(Time),
  health_check_policy: WorkQueueHealthPolicy,
})
export type WorkQueueStatusDetail = Static<typeof WorkQueueStatusDetail>
