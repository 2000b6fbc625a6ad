import Type, { type Static, type TSchema } from 'typebox'
import { defaulted, enumOf, FreeObject, model, nameLimits, orNull, Text, Time, Uuid } from './primitives.ts'

/**
 * The messages between a worker and the server over the socket of a work pool. Both reject messages with unknown fields.
 * After the handshake (hello, ready), the worker sends heartbeats and the server sends snapshots of the pool.
 */
export const workerChannelVersion = 'work_pool_worker_channel.v1'

export const workerHeartbeatCapability = 'worker_heartbeat.v1'
export const workPoolSnapshotCapability = 'work_pool_snapshot.v1'
export const cleanupDeliveryCapability = 'cleanup_delivery.v1'

const Named = Type.String({ minLength: 1, ...nameLimits })

function frame<Name extends string, P extends TSchema>(id: string, type: Name, payload: P) {
  return model(id, { type: Type.Literal(type), id: Uuid, sent_at: Time, payload })
}

export const WorkerHelloFrame = frame(
  'WorkerHelloFrame',
  'worker.hello.v1',
  model('WorkerHelloPayload', {
    consumer_id: Uuid,
    worker_name: Named,
    worker_type: Named,
    heartbeat_interval_seconds: Type.Integer({ minimum: 1 }),
    supported_channel_versions: Type.Array(Named, { minItems: 1 }),
    requested_capabilities: Type.Array(Named, { minItems: 1 }),
    work_queue_names: defaulted(Type.Array(Named), []),
    handled_cleanup_kinds: defaulted(Type.Array(enumOf('cancelling_timeout_teardown.v1', 'pending_claim_teardown.v1')), []),
    max_cleanup_concurrency: Type.Optional(Type.Integer({ minimum: 0 })),
    create_pool_if_not_found: defaulted(Type.Boolean(), false),
    default_base_job_template: defaulted(FreeObject, {}),
    worker_metadata: orNull(FreeObject),
  }),
)
export type WorkerHelloFrame = Static<typeof WorkerHelloFrame>

export const WorkerHeartbeatFrame = frame(
  'WorkerHeartbeatFrame',
  'worker.heartbeat.v1',
  model('WorkerHeartbeatPayload', { consumer_id: Uuid, worker_name: Named, heartbeat_interval_seconds: Type.Integer({ minimum: 1 }) }),
)

const cleanup = { message_id: Uuid, reservation_token: Named }

export const CleanupAckFrame = frame('CleanupAckFrame', 'cleanup.ack.v1', model('CleanupAckPayload', cleanup))
export const CleanupReleaseFrame = frame('CleanupReleaseFrame', 'cleanup.release.v1', model('CleanupReleasePayload', { ...cleanup, reason: Text }))
export const CleanupRenewFrame = frame('CleanupRenewFrame', 'cleanup.renew.v1', model('CleanupRenewPayload', cleanup))
