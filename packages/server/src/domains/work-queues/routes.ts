import { WorkQueueConcurrencyStatus, WorkQueueConcurrencyStatusBody } from '@millrace/contracts/concurrency-status.ts'
import { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { orNull, Text } from '@millrace/contracts/primitives.ts'
import {
  WorkQueueCreate,
  WorkQueueResponse,
  WorkQueueRunsBody,
  WorkQueueStatusDetail,
  WorkQueuesFilterBody,
  WorkQueueUpdate,
} from '@millrace/contracts/work-queue.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import type { Db } from '../../storage/database.ts'
import { actAs, type ServerContext } from '../../storage/server-context.ts'
import { IdParams, pageLimit } from '../request-params.ts'
import { readsFor } from '../text-searches.ts'
import { deleteQueue, updateQueue } from './change-queue.ts'
import { createAgentPoolQueue } from './ensure-queue.ts'
import { countUsedSlots } from './filtered-queue.ts'
import { readHealth } from './health.ts'
import { pollQueue } from './poll.ts'
import { toQueueResponse } from './response.ts'
import { readQueueConcurrency } from './slot-usage.ts'
import { listQueues, type QueueWithPool, readAgentPoolQueue, readQueue } from './store.ts'

const tag = 'Work Queues'
const read = 'work_queues:read'
const write = 'work_queues:write'

/** `x-prefect-ui` is the name that existing clients send. */
const PeekHeaders = Type.Object({ 'x-service-ui': orNull(Type.Boolean()), 'x-prefect-ui': orNull(Type.Boolean()) })

export function workQueueRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, clock, config } = context
  const limitMax = config.server.api.default_limit

  const requireQueue = async (db: Db, id: string): Promise<QueueWithPool> => {
    const queue = await readQueue(db, id)
    if (!queue) throw notFound('Work queue')
    return queue
  }
  const toResponses = async (queues: readonly QueueWithPool[]): Promise<WorkQueueResponse[]> => {
    const slots = await countUsedSlots(reads, queues)
    return queues.map((queue) => toQueueResponse(queue, slots.get(queue.id) ?? 0))
  }

  return [
    route(
      {
        method: 'POST',
        path: '/work_queues/',
        tag,
        summary: 'Create a work queue without a pool',
        description: 'Without a priority the queue gets 1 and others stay where they are. With null it gets the lowest free one.',
        scope: write,
        kind: 'change',
        body: WorkQueueCreate,
        responses: { 201: WorkQueueResponse },
      },
      async ({ body, actor }) => toQueueResponse(await writeQueue.as(actor).submit((tx) => createAgentPoolQueue(context, tx, body)), 0),
    ),
    route(
      {
        method: 'POST',
        path: '/work_queues/filter',
        tag,
        summary: 'List work queues of all pools',
        scope: read,
        kind: 'query',
        body: WorkQueuesFilterBody,
        responses: { 200: Type.Array(WorkQueueResponse) },
      },
      async ({ body }) =>
        toResponses(
          await listQueues(readsFor(context, body, reads), body.work_queues, { limit: pageLimit(body.limit, limitMax), offset: body.offset }),
        ),
    ),
    route(
      {
        method: 'GET',
        path: '/work_queues/name/:name',
        tag,
        summary: 'Read a work queue without a pool by name',
        scope: read,
        kind: 'query',
        params: Type.Object({ name: Text }),
        responses: { 200: WorkQueueResponse },
      },
      async ({ params }) => {
        const queue = await readAgentPoolQueue(reads, params.name)
        if (!queue) throw notFound('Work queue')
        return (await toResponses([queue]))[0]
      },
    ),
    route(
      {
        method: 'GET',
        path: '/work_queues/:id',
        tag,
        summary: 'Read a work queue',
        scope: read,
        kind: 'query',
        params: IdParams,
        responses: { 200: WorkQueueResponse },
      },
      async ({ params }) => {
        return (await toResponses([await requireQueue(reads, params.id)]))[0]
      },
    ),
    route(
      {
        method: 'PATCH',
        path: '/work_queues/:id',
        tag,
        summary: 'Update a work queue',
        scope: write,
        kind: 'change',
        params: IdParams,
        body: WorkQueueUpdate,
        responses: { 204: null },
      },
      ({ params, body, actor }) => writeQueue.as(actor).submit(async (tx) => updateQueue(context, tx, await requireQueue(tx, params.id), body)),
    ),
    route(
      {
        method: 'DELETE',
        path: '/work_queues/:id',
        tag,
        summary: 'Delete a work queue',
        scope: write,
        kind: 'change',
        params: IdParams,
        responses: { 204: null },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(async (tx) => deleteQueue(context, tx, await requireQueue(tx, params.id))),
    ),
    route(
      {
        method: 'POST',
        path: '/work_queues/:id/get_runs',
        tag,
        summary: 'Poll a work queue for due runs',
        description: 'Returns the due runs of the queue, earliest first, within the limits of the queue and its pool.',
        scope: 'work_queues:run',
        kind: 'change',
        ignoresUnreadableBody: true,
        rejectsInvalidIds: true,
        params: IdParams,
        headers: PeekHeaders,
        body: WorkQueueRunsBody,
        responses: { 200: Type.Array(FlowRunResponse) },
      },
      ({ params, headers, body, actor }) =>
        pollQueue(actAs(context, actor), params.id, body, (headers['x-service-ui'] ?? false) || (headers['x-prefect-ui'] ?? false)),
    ),
    route(
      {
        method: 'POST',
        path: '/work_queues/:id/concurrency_status',
        tag,
        summary: 'List the runs that hold slots of a work queue',
        scope: read,
        kind: 'query',
        params: IdParams,
        body: WorkQueueConcurrencyStatusBody,
        responses: { 200: WorkQueueConcurrencyStatus },
      },
      async ({ params, body }) =>
        readQueueConcurrency(reads, await requireQueue(reads, params.id), pageLimit(body.limit, limitMax), body.page, clock.now()),
    ),
    route(
      {
        method: 'GET',
        path: '/work_queues/:id/status',
        tag,
        summary: 'Read the health of a work queue',
        description: 'A queue is healthy if it was polled within the last 60 seconds and has no late runs.',
        scope: read,
        kind: 'query',
        params: IdParams,
        responses: { 200: WorkQueueStatusDetail },
      },
      async ({ params }) => readHealth(reads, await requireQueue(reads, params.id), clock.now()),
    ),
  ]
}
