import type { WorkPoolUpdate } from '@millrace/contracts/work-pool.ts'
import { forbidden, notFound } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { fieldChanges } from '../field-changes.ts'
import { assertNotNull } from '../request-params.ts'
import { hasOnlineWorkers } from '../workers/store.ts'
import { poolUpdatedEvent } from './events.ts'
import { isReservedPoolName } from './pool-names.ts'
import { setPoolStatus } from './pool-status.ts'
import { hasStatus } from './status.ts'
import { storageConfigurationText } from './storage-configuration.ts'
import { lockPoolByName, type PoolRow, updatePoolRow as writePool } from './store.ts'

/** Pausing is told as a status. */
const tracked = { description: 'value', base_job_template: 'json', concurrency_limit: 'value', storage_configuration: 'json' } as const

/** Changes what is given. */
export const updatePool = (context: ServerContext, name: string, body: WorkPoolUpdate) => {
  const { is_paused, concurrency_limit: _limit, ...others } = body
  if (isReservedPoolName(name) && Object.keys(others).length > 0)
    throw forbidden(`Of the work pool "${name}", which the server keeps for itself, only the pause and the limit can be changed`)

  return async (tx: Tx): Promise<void> => {
    const pool = await lockPoolByName(tx, name)
    if (!pool) throw notFound(`Work pool "${name}"`)
    assertNotNull(body, 'is_paused', 'storage_configuration', 'base_job_template')
    const now = context.clock.now()
    const change = columnsOf(body)
    const row = { ...pool, ...change }
    await writePool(tx, { id: pool.id, updated: now, ...change })
    if (is_paused != null && hasStatus(pool.type)) {
      const going = (await hasOnlineWorkers(tx, pool.id)) ? 'READY' : 'NOT_READY'
      await setPoolStatus(context, tx, row, is_paused ? 'PAUSED' : going)
    }
    const changes = fieldChanges<PoolRow>(pool, change, tracked)
    if (Object.keys(changes).length > 0) tx.emit(poolUpdatedEvent(row, changes, context.newId(), now))
  }
}

function columnsOf(body: WorkPoolUpdate): Partial<PoolRow> {
  return {
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.is_paused == null ? {} : { is_paused: body.is_paused }),
    ...(body.base_job_template == null ? {} : { base_job_template: jsonText(body.base_job_template) }),
    ...(body.concurrency_limit === undefined ? {} : { concurrency_limit: body.concurrency_limit }),
    ...(body.storage_configuration == null ? {} : { storage_configuration: storageConfigurationText(body.storage_configuration) }),
  }
}
