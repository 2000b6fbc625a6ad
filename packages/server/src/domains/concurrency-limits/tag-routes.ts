import {
  ConcurrencyLimit,
  ConcurrencyLimitCreate,
  ConcurrencyLimitResetBody,
  ConcurrencyLimitsDecrementBody,
  ConcurrencyLimitsFilterBody,
  ConcurrencyLimitsIncrementBody,
} from '@millrace/contracts/concurrency-limit.ts'
import { MinimalConcurrencyLimitResponse } from '@millrace/contracts/global-concurrency-limit.ts'
import { Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { tagLimitName, tagLimitNames } from '../../lib/limit-names.ts'
import { type Route, RouteResponse, route } from '../../lib/route.ts'
import type { LimitRow } from '../../runs/slots/decay.ts'
import type { Tx } from '../../storage/database.ts'
import { actAs, type ServerContext } from '../../storage/server-context.ts'
import { IdParams, pageLimit } from '../request-params.ts'
import { changeLimit, createLimit, removeLimit, resetTagLimit } from './change-limit.ts'
import { submitSlotRequest } from './slot-batch.ts'
import { acquireTagSlots, releaseTagSlots } from './slot-requests.ts'
import { acquireOrWait, PreferHeader, preferredWaitSeconds } from './slot-wait-queue.ts'
import { listTagLimits, readLimit, readLimitByName, readTaskHolders, toMinimalLimitResponse, toTagLimitResponse } from './store.ts'
import { trackWaiter } from './waiter-registry.ts'

const tag = 'Concurrency Limits'
const at = '/concurrency_limits'
const ByTag = Type.Object({ tag: Text })

/** The v1 operations, which address limits by tag. The limit of tag `a` is the limit named `tag:a`. */
export function tagLimitRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, clock, config } = context

  const toResponses = async (rows: readonly LimitRow[]) => {
    const holders = await readTaskHolders(
      reads,
      rows.map(({ id }) => id),
      clock.now(),
    )
    return rows.map((row) => toTagLimitResponse(row, holders.get(row.id) ?? []))
  }
  const toResponse = async (row: LimitRow | undefined) => {
    if (!row?.name.startsWith('tag:')) throw notFound('Concurrency limit')
    return (await toResponses([row]))[0]
  }
  const createOrChange = (name: string, limit: number) => async (tx: Tx) => {
    const existing = await readLimitByName(tx, name)
    if (existing) return { isNew: false, row: await changeLimit(context, existing.id, { limit })(tx) }
    return {
      isNew: true,
      row: await createLimit(context, { name, limit, active: true, active_slots: 0, denied_slots: 0, slot_decay_per_second: 0 })(tx),
    }
  }

  return [
    route(
      {
        method: 'POST',
        path: `${at}/`,
        tag,
        summary: 'Create or update the limit of a tag',
        scope: 'concurrency_limits:write',
        kind: 'change',
        body: ConcurrencyLimitCreate,
        responses: { 201: ConcurrencyLimit, 200: ConcurrencyLimit },
      },
      async ({ body, actor }) => {
        const { isNew, row } = await writeQueue.as(actor).submit(createOrChange(tagLimitName(body.tag), body.concurrency_limit))
        return new RouteResponse(isNew ? 201 : 200, await toResponse(row))
      },
    ),
    route(
      {
        method: 'GET',
        path: `${at}/:id`,
        tag,
        summary: 'Read a tag limit',
        scope: 'concurrency_limits:read',
        kind: 'query',
        params: IdParams,
        responses: { 200: ConcurrencyLimit },
      },
      async ({ params }) => toResponse(await readLimit(reads, params.id)),
    ),
    route(
      {
        method: 'GET',
        path: `${at}/tag/:tag`,
        tag,
        summary: 'Read the limit of a tag',
        scope: 'concurrency_limits:read',
        kind: 'query',
        params: ByTag,
        responses: { 200: ConcurrencyLimit },
      },
      async ({ params }) => toResponse(await readLimitByName(reads, tagLimitName(params.tag))),
    ),
    route(
      {
        method: 'POST',
        path: `${at}/filter`,
        tag,
        summary: 'List tag limits',
        scope: 'concurrency_limits:read',
        kind: 'query',
        body: ConcurrencyLimitsFilterBody,
        responses: { 200: Type.Array(ConcurrencyLimit) },
      },
      async ({ body }) => toResponses(await listTagLimits(reads, pageLimit(body.limit, config.server.api.default_limit), body.offset)),
    ),
    route(
      {
        method: 'POST',
        path: `${at}/tag/:tag/reset`,
        tag,
        summary: 'Reset the slots of a tag, optionally to a list of holders',
        description: 'Ends all leases of the limit, then gives one slot to each of the given task runs, even beyond the limit.',
        scope: 'concurrency_limits:write',
        kind: 'change',
        params: ByTag,
        body: ConcurrencyLimitResetBody,
        responses: { 200: Type.Null() },
      },
      ({ params, body, actor }) => writeQueue.as(actor).submit(resetTagLimit(context, params.tag, body.slot_override ?? [])),
    ),
    route(
      {
        method: 'DELETE',
        path: `${at}/:id`,
        tag,
        summary: 'Delete a tag limit',
        scope: 'concurrency_limits:write',
        kind: 'change',
        params: IdParams,
        responses: { 200: Type.Null() },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(removeLimit(context, params.id, 'end')),
    ),
    route(
      {
        method: 'DELETE',
        path: `${at}/tag/:tag`,
        tag,
        summary: 'Delete the limit of a tag',
        scope: 'concurrency_limits:write',
        kind: 'change',
        params: ByTag,
        responses: { 200: Type.Null() },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(removeLimit(context, tagLimitName(params.tag), 'end')),
    ),
    route(
      {
        method: 'POST',
        path: `${at}/increment`,
        tag,
        summary: 'Acquire a slot of each tag for a task run',
        description: 'The slots have no expiry: clients of this operation do not renew. With no free slot the answer is 423.',
        scope: 'concurrency_limits:run',
        kind: 'change',
        ignoresUnreadableBody: true,
        headers: PreferHeader,
        body: ConcurrencyLimitsIncrementBody,
        responses: { 200: Type.Array(MinimalConcurrencyLimitResponse) },
        errors: [423],
      },
      async ({ body: { names: tags, task_run_id: id }, headers, signal, actor }) => {
        const acting = actAs(context, actor)
        const request = { names: tagLimitNames(tags), slots: 1, requester: { type: 'task_run', id } }
        const limits = await acquireOrWait(context, {
          ...request,
          seconds: preferredWaitSeconds(headers, config),
          signal,
          attempt: () => trackWaiter(context, request, () => submitSlotRequest(acting, acquireTagSlots(context, tags, id))),
          rollBack: () => submitSlotRequest(acting, releaseTagSlots(tags, id)),
        })
        // Clients expect the bare tag here, but the full limit name in the answer to a release.
        return limits.map((row) => ({ ...toMinimalLimitResponse(row), name: row.name.slice('tag:'.length) }))
      },
    ),
    route(
      {
        method: 'POST',
        path: `${at}/decrement`,
        tag,
        summary: 'Release the slots of the tags that a task run holds',
        description: 'Returns all limits of the tags, held or not.',
        scope: 'concurrency_limits:run',
        kind: 'change',
        ignoresUnreadableBody: true,
        body: ConcurrencyLimitsDecrementBody,
        responses: { 200: Type.Array(MinimalConcurrencyLimitResponse) },
      },
      async ({ body, actor }) =>
        (await submitSlotRequest(actAs(context, actor), releaseTagSlots(body.names, body.task_run_id))).map(toMinimalLimitResponse),
    ),
  ]
}
