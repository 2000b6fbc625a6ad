import { NewPathName } from '@millrace/contracts/primitives.ts'
import {
  cleanupDeliveryCapability,
  WorkerHelloFrame,
  workerChannelVersion,
  workerHeartbeatCapability,
  workPoolSnapshotCapability,
} from '@millrace/contracts/worker-channel.ts'
import { Check } from 'typebox/value'
import { ApiError } from '../../errors.ts'
import type { Peer } from '../../lib/socket.ts'
import { checkThenWrite } from '../../storage/checked-write.ts'
import type { Tx } from '../../storage/database.ts'
import type { ActingContext, ServerContext } from '../../storage/server-context.ts'
import { readQueueByName, readQueuesOfPool } from '../work-queues/store.ts'
import { validateDefaults, validateTemplate } from './base-job-template.ts'
import { createPool, updatePool } from './change-pool.ts'
import { isReservedPoolName, lockPoolByName, type PoolRow, readPoolByName } from './store.ts'

/** Close reasons that workers recognize, with their codes. Workers give up after 1008 and 1002 and reconnect after 1011. */
const closeCodeByReason = {
  authorization_failed: 1008,
  unsupported_version: 1008,
  protocol_error: 1002,
  heartbeat_persistence_failed: 1011,
  transient_server_error: 1011,
} as const

export class ChannelError extends Error {
  readonly reason: keyof typeof closeCodeByReason

  constructor(reason: keyof typeof closeCodeByReason, cause?: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}

/** The close frame for an error. A client error of the API is a protocol error of the channel. */
export function toCloseFrame(error: unknown): { code: number; reason: string } {
  const isClientError = error instanceof ApiError && error.status < 500
  const reason = error instanceof ChannelError ? error.reason : isClientError ? 'protocol_error' : 'transient_server_error'
  return { code: closeCodeByReason[reason], reason }
}

type Hello = WorkerHelloFrame['payload']

const requiredCapabilities: readonly string[] = [workerHeartbeatCapability, workPoolSnapshotCapability]

/** Parses the worker's first frame; throws if the channel cannot be opened for it. */
export function readHello(peer: Peer, frame: unknown): WorkerHelloFrame {
  const reader = peer.read(WorkerHelloFrame, frame)
  if ('refusal' in reader) throw new ChannelError('protocol_error')
  const hello = reader.value
  const { requested_capabilities: requested, handled_cleanup_kinds = [], max_cleanup_concurrency = 0, supported_channel_versions } = hello.payload
  if (!requiredCapabilities.every((capability) => requested.includes(capability))) throw new ChannelError('protocol_error')
  if (!requested.includes(cleanupDeliveryCapability) && handled_cleanup_kinds.length + max_cleanup_concurrency > 0)
    throw new ChannelError('protocol_error')
  if (!supported_channel_versions.includes(workerChannelVersion)) throw new ChannelError('unsupported_version')
  return hello
}

export function acceptedCapabilities({ requested_capabilities }: Hello): { accepted: readonly string[]; rejected: readonly string[] } {
  return {
    accepted: requiredCapabilities,
    rejected: [...new Set(requested_capabilities)].filter((capability) => !requiredCapabilities.includes(capability)),
  }
}

type Queues = readonly { readonly id: string; readonly name: string }[]

/** Creates the pool if the worker requests it, gives it the worker's template if it has none, and resolves the queues. */
export const openChannel = (context: ActingContext, name: string, hello: Hello): Promise<Queues> =>
  checkThenWrite(context, {
    read: async (db, tx) => missingPart(await (tx ? lockPoolByName(tx, name) : readPoolByName(db, name))),
    async check(missing) {
      if (missing === 'pool') assertCanCreatePool(name, hello)
      if (missing === undefined || isReservedPoolName(name)) return
      const template = hello.default_base_job_template ?? {}
      validateTemplate(template)
      await validateDefaults(context, template)
    },
    write: writeChannel(context, name, hello),
  })

/** The part that the worker's hello frame can add. */
function missingPart(pool: PoolRow | undefined): 'pool' | 'template' | undefined {
  if (!pool) return 'pool'
  return pool.base_job_template === '{}' ? 'template' : undefined
}

const writeChannel =
  (context: ServerContext, name: string, hello: Hello) =>
  async (tx: Tx): Promise<Queues> => {
    const pool = (await lockPoolByName(tx, name)) ?? (await createWorkerPool(context, tx, name, hello))
    const { default_base_job_template: template = {} } = hello
    if (pool.base_job_template === '{}' && Object.keys(template).length > 0 && !isReservedPoolName(name)) {
      await updatePool(context, name, { base_job_template: template })(tx)
    }
    const names = [...new Set(hello.work_queue_names ?? [])]
    if (names.length === 0) return readQueuesOfPool(tx, pool.id)
    const queues = []
    for (const queueName of names) {
      const queue = await readQueueByName(tx, name, queueName)
      if (!queue) throw new ChannelError('authorization_failed')
      queues.push(queue)
    }
    return queues
  }

function assertCanCreatePool(name: string, hello: Hello): void {
  if (!hello.create_pool_if_not_found || isReservedPoolName(name)) throw new ChannelError('authorization_failed')
  if (!Check(NewPathName, name)) throw new ChannelError('protocol_error')
}

function createWorkerPool(context: ServerContext, tx: Tx, name: string, hello: Hello): Promise<PoolRow> {
  const storage_configuration = { bundle_upload_step: null, bundle_execution_step: null, default_result_storage_block_id: null }
  const body = {
    name,
    type: hello.worker_type,
    description: null,
    base_job_template: hello.default_base_job_template ?? {},
    is_paused: false,
    concurrency_limit: null,
    storage_configuration,
  }
  return createPool(context, tx, body)
}
