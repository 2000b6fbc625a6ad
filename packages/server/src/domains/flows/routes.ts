import {
  Flow,
  FlowBulkDeleteResponse,
  FlowCreate,
  FlowPaginationResponse,
  FlowsBulkDeleteBody,
  FlowsCountBody,
  FlowsFilterBody,
  FlowsPaginateBody,
  FlowUpdate,
} from '@millrace/contracts/flow.ts'
import type { FlowFilter } from '@millrace/contracts/flow-filter.ts'
import { Count } from '@millrace/contracts/paging.ts'
import { Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import type { Actor } from '../../lib/actor.ts'
import { jsonText } from '../../lib/json.ts'
import { type Route, RouteResponse, route } from '../../lib/route.ts'
import { releaseSlotsOfFlows } from '../../runs/slots/release-slots.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { removeDeploymentsOfFlows } from '../deployments/delete-deployments.ts'
import { IdParams, pageLimit, pageOffset, toPage } from '../request-params.ts'
import { findBeforeWrite, readsFor } from '../text-searches.ts'
import { createFlow } from './create-flow.ts'
import { flowEvent } from './events.ts'
import { countFlows, deleteFlows, listFlowIds, listFlows, readFlow, readFlowByName, readFlows, toFlowResponse, updateFlow } from './store.ts'

const tag = 'Flows'

export function flowRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, clock, newId, config } = context
  const limitMax = config.server.api.default_limit

  /** Deletes the flows, emits their events, and returns the ids that existed. */
  const remove = (ids: readonly string[]) => async (tx: Tx) => {
    const rows = await readFlows(tx, ids)
    await removeDeploymentsOfFlows(tx, ids)
    await releaseSlotsOfFlows(tx, ids)
    await deleteFlows(tx, ids)
    for (const row of rows) tx.emit(flowEvent('deleted', row, newId(), clock.now()))
    return rows.map(({ id }) => id)
  }

  const deleteMatching = async (actor: Actor, { flows, limit }: { flows: FlowFilter | null; limit: number }) => {
    const filter = flows && (await findBeforeWrite(context, flows, (db) => listFlowIds(db, flows, limit)))
    return writeQueue.as(actor).submit(async (tx) => remove(await listFlowIds(tx, filter, limit))(tx))
  }

  return [
    route(
      {
        method: 'POST',
        path: '/flows/',
        tag,
        summary: 'Create a flow, or return the flow with this name',
        scope: 'flows:write',
        kind: 'change',
        body: FlowCreate,
        responses: { 201: Flow, 200: Flow },
      },
      async ({ body, actor }) => {
        const { isNew, row } = await writeQueue.as(actor).submit(createFlow(context, body))
        return new RouteResponse(isNew ? 201 : 200, toFlowResponse(row))
      },
    ),
    route(
      {
        method: 'GET',
        path: '/flows/:id',
        tag,
        summary: 'Read a flow',
        scope: 'flows:read',
        kind: 'query',
        params: IdParams,
        responses: { 200: Flow },
      },
      async ({ params }) => {
        const row = await readFlow(reads, params.id)
        if (!row) throw notFound('Flow')
        return toFlowResponse(row)
      },
    ),
    route(
      {
        method: 'GET',
        path: '/flows/name/:name',
        tag,
        summary: 'Read a flow by its name',
        scope: 'flows:read',
        kind: 'query',
        params: Type.Object({ name: Text }),
        responses: { 200: Flow },
      },
      async ({ params }) => {
        const row = await readFlowByName(reads, params.name)
        if (!row) throw notFound('Flow')
        return toFlowResponse(row)
      },
    ),
    route(
      {
        method: 'PATCH',
        path: '/flows/:id',
        tag,
        summary: 'Update a flow',
        scope: 'flows:write',
        kind: 'change',
        params: IdParams,
        body: FlowUpdate,
        responses: { 204: null },
      },
      ({ params, body, actor }) =>
        writeQueue.as(actor).submit(async (tx) => {
          const row = await readFlow(tx, params.id)
          if (!row) throw notFound('Flow')
          const changed = { ...row, ...(body.tags ? { tags: jsonText(body.tags) } : {}), updated: clock.now() }
          await updateFlow(tx, changed)
          tx.emit(flowEvent('updated', changed, newId(), clock.now()))
        }),
    ),
    route(
      {
        method: 'DELETE',
        path: '/flows/:id',
        tag,
        summary: 'Delete a flow with its deployments and runs',
        scope: 'flows:write',
        kind: 'change',
        params: IdParams,
        responses: { 204: null },
      },
      async ({ params, actor }) => {
        const removed = await writeQueue.as(actor).submit(remove([params.id]))
        if (removed.length === 0) throw notFound('Flow')
      },
    ),
    route(
      {
        method: 'POST',
        path: '/flows/bulk_delete',
        tag,
        summary: 'Delete the flows that match',
        scope: 'flows:write',
        kind: 'change',
        body: FlowsBulkDeleteBody,
        responses: { 200: FlowBulkDeleteResponse },
      },
      async ({ body, actor }) => ({
        deleted: await deleteMatching(actor, body),
      }),
    ),
    route(
      {
        method: 'POST',
        path: '/flows/count',
        tag,
        summary: 'Count flows',
        scope: 'flows:read',
        kind: 'query',
        body: FlowsCountBody,
        responses: { 200: Count },
      },
      ({ body }) => countFlows(readsFor(context, body), body),
    ),
    route(
      {
        method: 'POST',
        path: '/flows/filter',
        tag,
        summary: 'List flows',
        scope: 'flows:read',
        kind: 'query',
        body: FlowsFilterBody,
        responses: { 200: Type.Array(Flow) },
      },
      async ({ body }) => {
        const limit = pageLimit(body.limit, limitMax)
        return (await listFlows(readsFor(context, body), body, { sort: body.sort, limit, offset: body.offset })).map(toFlowResponse)
      },
    ),
    route(
      {
        method: 'POST',
        path: '/flows/paginate',
        tag,
        summary: 'List flows by page',
        scope: 'flows:read',
        kind: 'query',
        body: FlowsPaginateBody,
        responses: { 200: FlowPaginationResponse },
      },
      async ({ body }) => {
        const limit = pageLimit(body.limit, limitMax)
        const [rows, count] = await Promise.all([
          listFlows(readsFor(context, body), body, { sort: body.sort, limit, offset: pageOffset(body.page, limit) }),
          countFlows(readsFor(context, body), body),
        ])
        return toPage(rows.map(toFlowResponse), count, limit, body.page)
      },
    ),
  ]
}
