import type { Received } from '@millrace/contracts/primitives.ts'
import { defaultPoolType, type WorkPoolCreate, type WorkPoolStorageConfiguration, type WorkPoolUpdate } from '@millrace/contracts/work-pool.ts'
import { conflict, forbidden, notFound } from '../../errors.ts'
import { jsonText, nullableJsonText, rawJson, writeJson } from '../../lib/json.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { fieldChanges } from '../field-changes.ts'
import { assertNotNull } from '../request-params.ts'
import { createQueue, emitQueuesDeleted } from '../work-queues/change-queue.ts'
import { hasOnlineWorkers } from '../workers/store.ts'
import { validateDefaults } from './base-job-template.ts'
import { poolEvent, poolStatusEvent, poolUpdatedEvent } from './events.ts'
import { hasStatus, setPoolStatus } from './pool-status.ts'
import { agentPoolName, deletePoolRow, insertPool, isReservedPoolName, lockPoolByName, type PoolRow, updatePoolRow } from './store.ts'

/** Checks that the name is not reserved and that the defaults of the template are valid. */
export async function validateNewPool(context: ServerContext, { name, base_job_template }: WorkPoolCreate): Promise<void> {
  if (isReservedPoolName(name)) throw forbidden(`Work pool names starting with "${name.slice(0, 7)}" are reserved.`)
  await validateDefaults(context, base_job_template ?? {})
}

/** Creates a pool with its default queue. */
export async function createPool(context: ServerContext, tx: Tx, body: Received<typeof WorkPoolCreate>): Promise<PoolRow> {
  const { clock, newId } = context
  const now = clock.now()
  const withoutQueue: PoolRow = {
    id: newId(),
    created: now,
    updated: now,
    name: body.name,
    description: body.description,
    type: body.type,
    base_job_template: jsonText(body.base_job_template),
    is_paused: body.is_paused,
    concurrency_limit: body.concurrency_limit,
    status: body.is_paused && hasStatus(body.type) ? 'PAUSED' : 'NOT_READY',
    default_queue_id: null,
    storage_configuration: storageConfigurationText(body.storage_configuration),
    last_status_event_id: null,
    last_transitioned_status_at: null,
  }
  if (!(await insertPool(tx, withoutQueue))) throw conflict(`A work pool named "${body.name}" already exists`)
  const queue = await createQueue(context, tx, withoutQueue, { name: 'default', description: "The work pool's default queue." })
  const row = { ...withoutQueue, default_queue_id: queue.id }
  await updatePoolRow(tx, { id: row.id, default_queue_id: queue.id })
  tx.emit(poolEvent('created', row, newId(), now))
  return row
}

/** Creates a pool at the request of a client and emits its first status. Implicitly created pools emit a status when it changes. */
export async function createPoolWithStatusEvent(context: ServerContext, tx: Tx, body: Received<typeof WorkPoolCreate>): Promise<PoolRow> {
  const row = await createPool(context, tx, body)
  tx.emit(poolStatusEvent(row, null, context.newId(), row.created))
  return row
}

/** Locks the pool of the queues without a pool; creates it if necessary. */
export async function ensureAgentPool(context: ServerContext, tx: Tx): Promise<{ pool: PoolRow; isNew: boolean }> {
  const existing = await lockPoolByName(tx, agentPoolName)
  if (existing) return { pool: existing, isNew: false }
  const storage = { bundle_upload_step: null, bundle_execution_step: null, default_result_storage_block_id: null }
  const body = { name: agentPoolName, type: defaultPoolType, description: null, base_job_template: {}, is_paused: false, concurrency_limit: null }
  return { pool: await createPool(context, tx, { ...body, storage_configuration: storage }), isNew: true }
}

/** Fields that the updated event reports. A pause is reported as a status. */
const tracked = { description: 'value', base_job_template: 'json', concurrency_limit: 'value', storage_configuration: 'json' } as const

/** Updates the given fields. */
export const updatePool = (context: ServerContext, name: string, body: WorkPoolUpdate) => {
  const { is_paused, concurrency_limit: _limit, ...others } = body
  if (isReservedPoolName(name) && Object.keys(others).length > 0)
    throw forbidden(`Work pool "${name}" is reserved: only "is_paused" and "concurrency_limit" can be changed.`)

  return async (tx: Tx): Promise<void> => {
    const pool = await lockPoolByName(tx, name)
    if (!pool) throw notFound(`Work pool "${name}"`)
    assertNotNull(body, 'is_paused', 'storage_configuration', 'base_job_template')
    const now = context.clock.now()
    const change = toColumns(body)
    const row = { ...pool, ...change }
    await updatePoolRow(tx, { id: pool.id, updated: now, ...change })
    if (is_paused != null && hasStatus(pool.type)) {
      const resumed = (await hasOnlineWorkers(tx, pool.id)) ? 'READY' : 'NOT_READY'
      await setPoolStatus(context, tx, row, is_paused ? 'PAUSED' : resumed)
    }
    const changes = fieldChanges<PoolRow>(pool, change, tracked)
    if (Object.keys(changes).length > 0) tx.emit(poolUpdatedEvent(row, changes, context.newId(), now))
  }
}

function toColumns(body: WorkPoolUpdate): Partial<PoolRow> {
  return {
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.is_paused == null ? {} : { is_paused: body.is_paused }),
    ...(body.base_job_template == null ? {} : { base_job_template: jsonText(body.base_job_template) }),
    ...(body.concurrency_limit === undefined ? {} : { concurrency_limit: body.concurrency_limit }),
    ...(body.storage_configuration == null ? {} : { storage_configuration: storageConfigurationText(body.storage_configuration) }),
  }
}

/** Stores all fields of the configuration; the steps keep the JSON text that was sent. */
const storageConfigurationText = (configuration: WorkPoolStorageConfiguration): string =>
  writeJson({
    bundle_upload_step: rawJson(nullableJsonText(configuration.bundle_upload_step)),
    bundle_execution_step: rawJson(nullableJsonText(configuration.bundle_execution_step)),
    default_result_storage_block_id: configuration.default_result_storage_block_id ?? null,
  })

/** Deletes a pool with its queues and workers. Its runs and deployments stay, without a queue. */
export const deletePool = (context: ServerContext, name: string) => {
  if (isReservedPoolName(name)) throw forbidden(`Cannot delete work pool "${name}": it is reserved.`)
  return async (tx: Tx): Promise<void> => {
    const pool = await lockPoolByName(tx, name)
    if (!pool) throw notFound(`Work pool "${name}"`)
    await emitQueuesDeleted(context, tx, pool.id)
    await deletePoolRow(tx, pool.id)
    tx.emit(poolEvent('deleted', pool, context.newId(), context.clock.now()))
  }
}
