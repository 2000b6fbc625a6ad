import { PathName } from '@millrace/contracts/primitives.ts'
import {
  cleanupDeliveryCapability,
  WorkerHelloFrame,
  workerChannelVersion,
  workerHeartbeatCapability,
  workPoolSnapshotCapability,
} from '@millrace/contracts/worker-channel.ts'
import { Check } from 'typebox/value'
import type { Peer } from '../../lib/socket.ts'
import { checkThenWrite } from '../../storage/checked-write.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { readQueueByName, readQueuesOfPool } from '../work-queues/store.ts'
import { validateDefaults, validateTemplate } from './base-job-template.ts'
import { createPool } from './create-pool.ts'
import { isReservedPoolName } from './pool-names.ts'
import { lockPoolByName, type PoolRow, readPoolByName } from './store.ts'
import { updatePool } from './update-pool.ts'
import { ChannelError } from './worker-channel-error.ts'

type Hello = WorkerHelloFrame['payload']

const requiredCapabilities: readonly string[] = [workerHeartbeatCapability, workPoolSnapshotCapability]

/** The worker's first frame, if it is one that a channel can be opened for. */
export function readHello(peer: Peer, frame: unknown): WorkerHelloFrame {
  const reader = peer.read(WorkerHelloFrame, frame)
  if ('refusal' in reader) throw new ChannelError('protocol_error')
  const hello = reader.value
  const { requested_capabilities: wanted, handled_cleanup_kinds = [], max_cleanup_concurrency = 0, supported_channel_versions } = hello.payload
  if (!requiredCapabilities.every((capability) => wanted.includes(capability))) throw new ChannelError('protocol_error')
  if (!wanted.includes(cleanupDeliveryCapability) && handled_cleanup_kinds.length + max_cleanup_concurrency > 0)
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

/** Makes the pool if the worker wants that, lends it the worker's template if it has none, and finds the queues. */
export const openChannel = (context: ServerContext, name: string, hello: Hello): Promise<Queues> =>
  checkThenWrite(context, {
    read: async (db, tx) => missingPart(await (tx ? lockPoolByName(tx, name) : readPoolByName(db, name))),
    async check(need) {
      if (need === 'pool') assertCanCreatePool(name, hello)
      if (need === undefined || isReservedPoolName(name)) return
      const template = hello.default_base_job_template ?? {}
      validateTemplate(template)
      await validateDefaults(context, template)
    },
    write: writeChannel(context, name, hello),
  })

/** What a worker brings along and its pool lacks. */
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
  if (!Check(PathName, name)) throw new ChannelError('protocol_error')
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
