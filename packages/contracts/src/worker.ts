import Type, { type Static } from 'typebox'
import { byTime, operatorField } from './filter.ts'
import { limit, offset } from './paging.ts'
import { entityFields, model, Name, namedEnum, nullable, orNull, parameters, response, Text, Time, Uuid } from './primitives.ts'

export const WorkerStatus = namedEnum('WorkerStatus', 'ONLINE', 'OFFLINE')
export type WorkerStatus = Static<typeof WorkerStatus>

export const WorkerResponse = response('WorkerResponse', {
  ...entityFields,
  name: Text,
  work_pool_id: Uuid,
  last_heartbeat_time: nullable(Time),
  heartbeat_interval_seconds: nullable(Type.Integer()),
  status: WorkerStatus,
})
export type WorkerResponse = Static<typeof WorkerResponse>

const statuses = orNull(Type.Array(WorkerStatus))

export const WorkerFilterLastHeartbeatTime = model('WorkerFilterLastHeartbeatTime', byTime)
export const WorkerFilterStatus = model('WorkerFilterStatus', { any_: statuses, not_any_: statuses })

export const WorkerFilter = model('WorkerFilter', {
  ...operatorField,
  last_heartbeat_time: orNull(WorkerFilterLastHeartbeatTime),
  status: orNull(WorkerFilterStatus),
})
export type WorkerFilter = Static<typeof WorkerFilter>

export const WorkersFilterBody = parameters({ workers: orNull(WorkerFilter), offset, limit })
export type WorkersFilterBody = Static<typeof WorkersFilterBody>
export const WorkerHeartbeatBody = parameters({ name: Name, heartbeat_interval_seconds: orNull(Type.Integer()) })
export type WorkerHeartbeatBody = Static<typeof WorkerHeartbeatBody>
