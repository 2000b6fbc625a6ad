import { WorkPoolConcurrencyStatus, WorkPoolConcurrencyStatusBody } from '@millrace/contracts/concurrency-status.ts'
import { Count } from '@millrace/contracts/paging.ts'
import { Text } from '@millrace/contracts/primitives.ts'
import {
  WorkerFlowRunResponse,
  WorkPoolCreate,
  WorkPoolResponse,
  WorkPoolScheduledFlowRunsBody,
  WorkPoolsCountBody,
  WorkPoolsFilterBody,
  WorkPoolUpdate,
} from '@millrace/contracts/work-pool.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import { actAs, type ServerContext } from '../../storage/server-context.ts'
import { pageLimit } from '../request-params.ts'
import { countPoolSlots } from '../work-queues/slot-usage.ts'
import { validateTemplate } from './base-job-template.ts'
import { createPoolWithStatusEvent, deletePool, updatePool, validateNewPool } from './change-pool.ts'
import { readPoolConcurrency } from './concurrency-status.ts'
import { pollPool } from './poll.ts'
import { toPoolResponse } from './response.ts'
import { countPools, listPools, type PoolRow, readPoolByName } from './store.ts'

const tag = 'Work Pools'
const read = 'work_pools:read'
const write = 'work_pools:write'
const ByName = Type.Object({ name: Text })

export function workPoolRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, clock, config } = context
  const limitMax = config.server.api.default_limit

  const requirePool = async (name: string): Promise<PoolRow> => {
    const pool = await readPoolByName(reads, name)
    if (!pool) throw notFound(`Work pool "${name}"`)
    return pool
  }
  const toResponses = async (pools: readonly PoolRow[]): Promise<WorkPoolResponse[]> => {
    const limited = pools.filter(({ concurrency_limit }) => concurrency_limit !== null)
    const slots = await countPoolSlots(
      reads,
      limited.map(({ id }) => id),
    )
    return pools.map((pool) => toPoolResponse(pool, slots.get(pool.id) ?? 0))
  }

  return [
    route(
      {
        method: 'POST',
        path: '/work_pools/',
        tag,
        summary: 'Create a work pool with its default queue',
        description: 'Rejects reserved names and a base job template with invalid defaults.',
        scope: write,
        kind: 'change',
        body: WorkPoolCreate,
        validateBody: ({ base_job_template }) => validateTemplate(base_job_template ?? {}),
        responses: { 201: WorkPoolResponse },
      },
      async ({ body, actor }) => {
        await validateNewPool(context, body)
        return toPoolResponse(await writeQueue.as(actor).submit((tx) => createPoolWithStatusEvent(context, tx, body)), 0)
      },
    ),
    route(
      {
        method: 'GET',
        path: '/work_pools/:name',
        tag,
        summary: 'Read a work pool',
        scope: read,
        kind: 'query',
        params: ByName,
        responses: { 200: WorkPoolResponse },
      },
      async ({ params }) => {
        return (await toResponses([await requirePool(params.name)]))[0]
      },
    ),
    route(
      {
        method: 'PATCH',
        path: '/work_pools/:name',
        tag,
        summary: 'Update a work pool',
        scope: write,
        kind: 'change',
        params: ByName,
        body: WorkPoolUpdate,
        validateBody: ({ base_job_template }) => validateTemplate(base_job_template ?? {}),
        responses: { 204: null },
      },
      ({ params, body, actor }) => writeQueue.as(actor).submit(updatePool(context, params.name, body)),
    ),
    route(
      {
        method: 'DELETE',
        path: '/work_pools/:name',
        tag,
        summary: 'Delete a work pool',
        description: 'Deletes its queues and workers too. Its runs and deployments stay, without a queue.',
        scope: write,
        kind: 'change',
        params: ByName,
        responses: { 204: null },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(deletePool(context, params.name)),
    ),
    route(
      {
        method: 'POST',
        path: '/work_pools/filter',
        tag,
        summary: 'List work pools',
        scope: read,
        kind: 'query',
        body: WorkPoolsFilterBody,
        responses: { 200: Type.Array(WorkPoolResponse) },
      },
      async ({ body }) => toResponses(await listPools(reads, body.work_pools, { limit: pageLimit(body.limit, limitMax), offset: body.offset })),
    ),
    route(
      {
        method: 'POST',
        path: '/work_pools/count',
        tag,
        summary: 'Count work pools',
        scope: read,
        kind: 'query',
        body: WorkPoolsCountBody,
        responses: { 200: Count },
      },
      ({ body }) => countPools(reads, body.work_pools),
    ),
    route(
      {
        method: 'POST',
        path: '/work_pools/:name/concurrency_status',
        tag,
        summary: 'List the runs that hold slots of a work pool',
        scope: read,
        kind: 'query',
        params: ByName,
        body: WorkPoolConcurrencyStatusBody,
        responses: { 200: WorkPoolConcurrencyStatus },
      },
      async ({ params, body }) => {
        const query = { limit: pageLimit(body.limit, limitMax), page: body.page, runsMax: body.flow_run_limit }
        return readPoolConcurrency(reads, await requirePool(params.name), query, clock.now())
      },
    ),
    route(
      {
        method: 'POST',
        path: '/work_pools/:name/get_scheduled_flow_runs',
        tag,
        summary: 'Poll a work pool for due runs',
        description:
          'Returns due runs ordered by queue priority and time, within the limits of the pool and its queues. Workers call it at their polling interval.',
        scope: 'work_pools:run',
        kind: 'change',
        ignoresUnreadableBody: true,
        params: ByName,
        body: WorkPoolScheduledFlowRunsBody,
        responses: { 200: Type.Array(WorkerFlowRunResponse) },
      },
      ({ params, body, actor }) => pollPool(actAs(context, actor), params.name, body),
    ),
  ]
}
