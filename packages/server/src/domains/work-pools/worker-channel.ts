import {
  CleanupAckFrame,
  CleanupReleaseFrame,
  CleanupRenewFrame,
  WorkerHeartbeatFrame,
  type WorkerHelloFrame,
  workerChannelVersion,
} from '@millrace/contracts/worker-channel.ts'
import Type from 'typebox'
import { toCriteria } from '../../events/criteria.ts'
import { liveEvents } from '../../events/live.ts'
import { writeJson } from '../../lib/json.ts'
import { type Peer, SocketRejection, type SocketRoute } from '../../lib/socket.ts'
import { formatTime } from '../../lib/time.ts'
import { type ActingContext, actAs, type ServerContext } from '../../storage/server-context.ts'
import { countPoolSlots } from '../work-queues/slot-usage.ts'
import { heartbeatBatch } from '../workers/heartbeat.ts'
import { toPoolResponse } from './response.ts'
import { type PoolRow, readPoolByName } from './store.ts'
import { acceptedCapabilities, ChannelError, openChannel, readHello, toCloseFrame } from './worker-handshake.ts'

/** A WebSocket between a worker and its pool: the worker sends heartbeats and receives changes of the pool. Runs are polled over HTTP. */
export const workerChannel = (context: ServerContext): SocketRoute => ({
  path: '/work_pools/:name/workers/connect',
  summary: 'Connect a worker to its pool',
  description:
    'Frames have `type`, `id`, `sent_at` and `payload`. Send `worker.hello.v1` first; the server answers with `worker.ready.v1`, which holds the pool and the queues. Then send `worker.heartbeat.v1` at the interval of the hello. The server sends `work_pool.snapshot.v1` when the pool changes. Runs are polled with `POST /work_pools/{name}/get_scheduled_flow_runs`. Frames with unknown fields close the connection with 1002.',
  scope: 'workers:run',
  kind: 'change',
  requiresHandshake: true,
  unauthenticatedReason: 'authentication_failed',
  async serve(peer, { name = '' }) {
    try {
      await serveWorker(actAs(context, peer.actor), peer, name)
    } catch (error) {
      const { code, reason } = toCloseFrame(error)
      if (code === 1011) peer.warn({ err: error }, 'worker channel closed after an error')
      throw new SocketRejection(code, reason)
    }
  },
})

async function serveWorker(context: ActingContext, peer: Peer, name: string): Promise<void> {
  const first = await peer.next()
  if (first === undefined) return
  const hello = readHello(peer, await parseMessage(peer, first))
  const queues = await openChannel(context, name, hello.payload)
  const beat = () => sendHeartbeat(context, name, hello)
  await beat()
  const live = liveEvents(context)
  const head = await live.head()
  const pool = await currentPool(context, name)
  const channel = new WorkerChannelSession(context, peer, pool)
  await channel.sendReady(hello, queues)

  const { id } = pool
  const criteria = toCriteria({ resource: { id: [`prefect.work-pool.${id}`] } }, { since: 0, until: Number.MAX_SAFE_INTEGER })
  const refresh = () => void channel.refresh('work_pool_updated').catch((error) => channel.fail(error))
  // Its frames are small, and its filter has no patterns.
  const listener = { criteria, signal: peer.signal, unsentBytes: 0, waitForDrain: async () => {}, send: refresh, disconnect() {}, reject() {} }
  void live.subscribe(listener, head)

  for (let message = await peer.next(); message !== undefined; message = await peer.next()) {
    const reader = peer.read(FromWorker, await parseMessage(peer, message))
    if ('refusal' in reader) throw new ChannelError('protocol_error')
    const frame = reader.value
    if (frame.type !== 'worker.heartbeat.v1') {
      channel.refuseCleanup(frame)
      continue
    }
    const { consumer_id, worker_name } = frame.payload
    if (consumer_id !== hello.payload.consumer_id || worker_name !== hello.payload.worker_name) throw new ChannelError('protocol_error')
    await beat()
    await channel.refresh('heartbeat_reconciliation')
  }
}

const FromWorker = Type.Union([WorkerHeartbeatFrame, CleanupAckFrame, CleanupReleaseFrame, CleanupRenewFrame])

async function parseMessage(peer: Peer, message: string): Promise<unknown> {
  try {
    return await peer.parse(message)
  } catch {
    throw new ChannelError('protocol_error')
  }
}

async function sendHeartbeat(context: ActingContext, pool: string, { payload }: WorkerHelloFrame): Promise<void> {
  try {
    await context.commands.submitTo(heartbeatBatch(context), {
      pool,
      worker: payload.worker_name,
      intervalSeconds: payload.heartbeat_interval_seconds,
    })
  } catch (error) {
    throw new ChannelError('heartbeat_persistence_failed', error)
  }
}

async function currentPool({ reads }: ServerContext, name: string): Promise<PoolRow> {
  const pool = await readPoolByName(reads, name)
  if (!pool) throw new ChannelError('authorization_failed')
  return pool
}

type CleanupFrame = { readonly id: string; readonly type: string; readonly payload: { readonly message_id: string } }

/** The pool state that one worker has received. */
class WorkerChannelSession {
  readonly #context: ServerContext
  readonly #peer: Peer
  #pool: PoolRow
  #sequence = 1
  #refreshing: Promise<void> = Promise.resolve()

  constructor(context: ServerContext, peer: Peer, pool: PoolRow) {
    this.#context = context
    this.#peer = peer
    this.#pool = pool
  }

  async sendReady({ payload }: WorkerHelloFrame, queues: readonly { readonly id: string; readonly name: string }[]): Promise<void> {
    const { accepted, rejected } = acceptedCapabilities(payload)
    this.#send('worker.ready.v1', {
      consumer_id: payload.consumer_id,
      worker_id: null,
      selected_channel_version: workerChannelVersion,
      effective_heartbeat_interval_seconds: payload.heartbeat_interval_seconds,
      accepted_capabilities: accepted,
      rejected_capabilities: rejected,
      effective_max_cleanup_concurrency: 0,
      resolved_work_queues: queues.map(({ id, name }) => ({ id, name })),
      initial_snapshot: await this.#snapshot('initial'),
    })
  }

  /** Sends a snapshot if the pool differs from the last one sent. Calls run one after the other. */
  refresh(reason: string): Promise<void> {
    this.#refreshing = this.#refreshing.then(async () => {
      const pool = await currentPool(this.#context, this.#pool.name)
      if (pool.id !== this.#pool.id) throw new ChannelError('authorization_failed')
      const changed = snapshotColumns.some((column) => pool[column] !== this.#pool[column])
      this.#pool = pool
      if (!changed) return
      this.#sequence += 1
      this.#send('work_pool.snapshot.v1', await this.#snapshot(reason))
    })
    return this.#refreshing
  }

  /** The server delivers no clean-ups; the ready frame rejects that capability. */
  refuseCleanup({ id, type, payload }: CleanupFrame): void {
    this.#send('cleanup.operation_result.v1', {
      request_frame_id: id,
      message_id: payload.message_id,
      operation: type.split('.')[1],
      status: 'unauthorized',
      lease_expires_at: null,
      reason: 'cleanup_delivery_not_accepted',
      detail: null,
    })
  }

  fail(error: unknown): void {
    const { code, reason } = toCloseFrame(error)
    this.#peer.close(code, reason)
  }

  async #snapshot(reason: string): Promise<object> {
    const slots = this.#pool.concurrency_limit === null ? 0 : ((await countPoolSlots(this.#context.reads, [this.#pool.id])).get(this.#pool.id) ?? 0)
    return { snapshot_sequence: this.#sequence, reason, work_pool: toPoolResponse(this.#pool, slots) }
  }

  #send(type: string, payload: object): void {
    const { newId, clock } = this.#context
    this.#peer.send(writeJson({ type, id: newId(), sent_at: formatTime(clock.now()), payload }))
  }
}

/** Columns whose changes are sent to workers. */
const snapshotColumns = ['base_job_template', 'concurrency_limit', 'is_paused', 'storage_configuration', 'description'] as const
