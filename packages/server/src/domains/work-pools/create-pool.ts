import type { Received } from '@millrace/contracts/primitives.ts'
import { defaultPoolType, type WorkPoolCreate } from '@millrace/contracts/work-pool.ts'
import { conflict, forbidden } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { createQueue } from '../work-queues/create-queue.ts'
import { agentPoolName } from './agent-pool.ts'
import { validateDefaults } from './base-job-template.ts'
import { poolEvent, poolStatusEvent } from './events.ts'
import { isReservedPoolName } from './pool-names.ts'
import { hasStatus } from './status.ts'
import { storageConfigurationText } from './storage-configuration.ts'
import { insertPool, lockPoolByName, type PoolRow, updatePoolRow } from './store.ts'

/** What a client asks for may be no name of ours, and the defaults of its template must be such that jobs can be made from them. */
export async function validateNewPool(context: ServerContext, { name, base_job_template }: WorkPoolCreate): Promise<void> {
  if (isReservedPoolName(name)) throw forbidden(`Names of work pools that begin with "${name.slice(0, 7)}" are kept for the server itself`)
  await validateDefaults(context, base_job_template ?? {})
}

/** Makes a pool with its default queue, and announces both. */
export async function createPool(context: ServerContext, tx: Tx, body: Received<typeof WorkPoolCreate>): Promise<PoolRow> {
  const { clock, newId } = context
  const now = clock.now()
  const blank: PoolRow = {
    id: newId(),
    created: now,
    updated: now,
    name: body.name,
    description: body.description,
    type: body.type,
    base_job_template: jsonText(body.base_job_template),
    is_paused: body.is_paused,
    concurrency_limit: body.concurrency_limit,
    status: initialStatus(body),
    default_queue_id: null,
    storage_configuration: storageConfigurationText(body.storage_configuration),
    last_status_event_id: null,
    last_transitioned_status_at: null,
  }
  if (!(await insertPool(tx, blank))) throw conflict(`A work pool named "${body.name}" already exists`)
  const queue = await createQueue(context, tx, blank, { name: 'default', description: "The work pool's default queue." })
  const row = { ...blank, default_queue_id: queue.id }
  await updatePoolRow(tx, { id: row.id, default_queue_id: queue.id })
  tx.emit(poolEvent('created', row, newId(), now))
  return row
}

/** The same for somebody who asked for the pool, and who may wait for its status: a pool that is made along the way tells it when it changes. */
export async function createPoolWithStatusEvent(context: ServerContext, tx: Tx, body: Received<typeof WorkPoolCreate>): Promise<PoolRow> {
  const row = await createPool(context, tx, body)
  tx.emit(poolStatusEvent(row, null, context.newId(), row.created))
  return row
}

const initialStatus = ({ type, is_paused }: { type: string; is_paused: boolean }): 'PAUSED' | 'NOT_READY' =>
  is_paused && hasStatus(type) ? 'PAUSED' : 'NOT_READY'

/** The pool of the queues that belong to none, locked; made when it is not there. */
export async function ensureAgentPool(context: ServerContext, tx: Tx): Promise<{ pool: PoolRow; made: boolean }> {
  const known = await lockPoolByName(tx, agentPoolName)
  if (known) return { pool: known, made: false }
  const storage = { bundle_upload_step: null, bundle_execution_step: null, default_result_storage_block_id: null }
  const body = { name: agentPoolName, type: defaultPoolType, description: null, base_job_template: {}, is_paused: false, concurrency_limit: null }
  return { pool: await createPool(context, tx, { ...body, storage_configuration: storage }), made: true }
}
