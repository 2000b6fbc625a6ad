import { Text } from '@millrace/contracts/primitives.ts'
import { WorkQueueCreate, WorkQueueResponse, WorkQueuesFilterBody, WorkQueueUpdate } from '@millrace/contracts/work-queue.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import type { Db } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { pageLimit } from '../request-params.ts'
import { readsFor } from '../text-searches.ts'
import { lockPoolByName, readPoolByName } from '../work-pools/store.ts'
import { createQueue, deleteQueue, updateQueue } from './change-queue.ts'
import { toQueueResponse } from './response.ts'
import { countQueueSlotsOfPool } from './slot-usage.ts'
import { listQueuesOfPool, type QueueWithPool, readQueueByName } from './store.ts'

const tag = 'Work Pools'
const read = 'work_queues:read'
const write = 'work_queues:write'
const OfPool = Type.Object({ work_pool_name: Text })
const OneOfPool = Type.Object({ work_pool_name: Text, name: Text })

/** Queues addressed by pool name. `active_slots` counts pool slots. */
export function poolQueueRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, config } = context
  const limitMax = config.server.api.default_limit

  const requireQueue = async (db: Db, { work_pool_name, name }: { work_pool_name: string; name: string }): Promise<QueueWithPool> => {
    const queue = await readQueueByName(db, work_pool_name, name)
    if (!queue) throw notFound(`Work queue "${name}" of work pool "${work_pool_name}"`)
    return queue
  }
  const toResponses = async (queues: readonly QueueWithPool[]): Promise<WorkQueueResponse[]> => {
    const limited = queues.filter(({ concurrency_limit }) => concurrency_limit !== null)
    const slots = await countQueueSlotsOfPool(
      reads,
      limited.map(({ id }) => id),
    )
    return queues.map((queue) => toQueueResponse(queue, slots.get(queue.id) ?? 0))
  }

  return [
    route(
      {
        method: 'POST',
        path: '/work_pools/:work_pool_name/queues',
        tag,
        summary: 'Create a work queue in a pool',
        description: 'Without a priority the queue gets the lowest free one. With one, other queues move down. 1 is served first.',
        scope: write,
        kind: 'change',
        params: OfPool,
        body: WorkQueueCreate,
        responses: { 201: WorkQueueResponse },
      },
      async ({ params, body, actor }) => {
        const queue = await writeQueue.as(actor).submit(async (tx) => {
          const pool = await lockPoolByName(tx, params.work_pool_name)
          if (!pool) throw notFound(`Work pool "${params.work_pool_name}"`)
          return createQueue(context, tx, pool, body)
        })
        return toQueueResponse(queue, 0)
      },
    ),
    route(
      {
        method: 'POST',
        path: '/work_pools/:work_pool_name/queues/filter',
        tag,
        summary: 'List the work queues of a pool',
        scope: read,
        kind: 'query',
        params: OfPool,
        body: WorkQueuesFilterBody,
        responses: { 200: Type.Array(WorkQueueResponse) },
      },
      async ({ params, body }) => {
        const limit = pageLimit(body.limit, limitMax)
        const pool = await readPoolByName(reads, params.work_pool_name)
        if (!pool) throw notFound(`Work pool "${params.work_pool_name}"`)
        return toResponses(await listQueuesOfPool(readsFor(context, body, reads), pool.id, body.work_queues, { limit, offset: body.offset }))
      },
    ),
    route(
      {
        method: 'GET',
        path: '/work_pools/:work_pool_name/queues/:name',
        tag,
        summary: 'Read a work queue of a pool',
        scope: read,
        kind: 'query',
        params: OneOfPool,
        responses: { 200: WorkQueueResponse },
      },
      async ({ params }) => (await toResponses([await requireQueue(reads, params)]))[0],
    ),
    route(
      {
        method: 'PATCH',
        path: '/work_pools/:work_pool_name/queues/:name',
        tag,
        summary: 'Update a work queue of a pool',
        scope: write,
        kind: 'change',
        params: OneOfPool,
        body: WorkQueueUpdate,
        responses: { 204: null },
      },
      ({ params, body, actor }) => writeQueue.as(actor).submit(async (tx) => updateQueue(context, tx, await requireQueue(tx, params), body)),
    ),
    route(
      {
        method: 'DELETE',
        path: '/work_pools/:work_pool_name/queues/:name',
        tag,
        summary: 'Delete a work queue of a pool',
        description: 'Its runs and deployments stay, without a queue. The default queue of a pool cannot be deleted.',
        scope: write,
        kind: 'change',
        params: OneOfPool,
        responses: { 204: null },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(async (tx) => deleteQueue(context, tx, await requireQueue(tx, params))),
    ),
  ]
}
