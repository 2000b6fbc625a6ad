import { Text } from '@millrace/contracts/primitives.ts'
import { WorkerHeartbeatBody, WorkerResponse, type WorkerStatus, WorkersFilterBody } from '@millrace/contracts/worker.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import { formatTime } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { pageLimit } from '../request-params.ts'
import { type PoolRow, readPoolByName } from '../work-pools/store.ts'
import { heartbeatBatch } from './heartbeat.ts'
import { deleteWorker, listWorkers, type WorkerRow } from './store.ts'

const tag = 'Work Pools'
const OfPool = Type.Object({ work_pool_name: Text })
const OneOfPool = Type.Object({ work_pool_name: Text, name: Text })

export function workerRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, config } = context
  const heartbeats = heartbeatBatch(context)

  const requirePool = async (db: Db, name: string): Promise<PoolRow> => {
    const pool = await readPoolByName(db, name)
    if (!pool) throw notFound(`Work pool "${name}"`)
    return pool
  }

  return [
    route(
      {
        method: 'POST',
        path: '/work_pools/:work_pool_name/workers/heartbeat',
        tag,
        summary: 'Record a worker heartbeat',
        description:
          'The first heartbeat creates the worker, and marks a pool without workers as ready. A heartbeat without an interval keeps the stored one.',
        scope: 'workers:run',
        kind: 'change',
        ignoresUnreadableBody: true,
        params: OfPool,
        body: WorkerHeartbeatBody,
        responses: { 204: null },
      },
      ({ params, body, actor }) =>
        writeQueue
          .as(actor)
          .submitTo(heartbeats, { pool: params.work_pool_name, worker: body.name, intervalSeconds: body.heartbeat_interval_seconds }),
    ),
    route(
      {
        method: 'POST',
        path: '/work_pools/:work_pool_name/workers/filter',
        tag,
        summary: 'List the workers of a pool',
        description: 'Sorted by their latest heartbeat, newest first.',
        scope: 'workers:read',
        kind: 'query',
        params: OfPool,
        body: WorkersFilterBody,
        responses: { 200: Type.Array(WorkerResponse) },
      },
      async ({ params, body }) => {
        const limit = pageLimit(body.limit, config.server.api.default_limit)
        const pool = await requirePool(reads, params.work_pool_name)
        return (await listWorkers(reads, pool.id, body.workers, { limit, offset: body.offset })).map(toWorkerResponse)
      },
    ),
    route(
      {
        method: 'DELETE',
        path: '/work_pools/:work_pool_name/workers/:name',
        tag,
        summary: 'Delete a worker of a pool',
        scope: 'workers:write',
        kind: 'change',
        params: OneOfPool,
        responses: { 204: null },
      },
      ({ params, actor }) =>
        writeQueue.as(actor).submit(async (tx) => {
          const pool = await requirePool(tx, params.work_pool_name)
          if ((await deleteWorker(tx, pool.id, params.name)) === 0) throw notFound(`Worker "${params.name}"`)
        }),
    ),
  ]
}

const toWorkerResponse = (row: WorkerRow): WorkerResponse => ({
  id: row.id,
  created: formatTime(row.created),
  updated: formatTime(row.updated),
  name: row.name,
  work_pool_id: row.work_pool_id,
  last_heartbeat_time: formatTime(row.last_heartbeat_time),
  heartbeat_interval_seconds: row.heartbeat_interval_seconds,
  status: row.status as WorkerStatus,
})
