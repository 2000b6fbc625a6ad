import {
  ConcurrencyLeaseRenewBody,
  ConcurrencyLimitV2,
  ConcurrencyLimitV2Create,
  ConcurrencyLimitV2Update,
  ConcurrencyLimitWithLeaseResponse,
  GlobalConcurrencyLimitResponse,
  GlobalConcurrencyLimitsDecrementBody,
  GlobalConcurrencyLimitsDecrementWithLeaseBody,
  GlobalConcurrencyLimitsFilterBody,
  GlobalConcurrencyLimitsIncrementBody,
  GlobalConcurrencyLimitsIncrementWithLeaseBody,
  MinimalConcurrencyLimitResponse,
} from '@millrace/contracts/global-concurrency-limit.ts'
import { Text, Uuid } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import { type ActingContext, actAs, type ServerContext } from '../../storage/server-context.ts'
import { pageLimit } from '../request-params.ts'
import { changeLimit, createLimit, removeLimit } from './change-limit.ts'
import { submitSlotRequest } from './slot-batch.ts'
import { type AcquiredSlots, acquireSlots, endLease, releaseSlots, renewLease } from './slot-requests.ts'
import { acquireOrWait, PreferHeader, preferredWaitSeconds } from './slot-wait-queue.ts'
import { listLimitUsages, readLimitUsage, toCreatedLimitResponse, toLimitResponse, toMinimalLimitResponse } from './store.ts'
import { trackWaiter } from './waiter-registry.ts'

const tag = 'Concurrency Limits V2'
const at = '/v2/concurrency_limits'
const ByIdOrName = Type.Object({ id_or_name: Text })
const ByLease = Type.Object({ lease_id: Uuid })

export function concurrencyLimitRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, clock, config } = context
  const limitMax = config.server.api.default_limit
  const rollBackAs =
    (acting: ActingContext) =>
    ({ lease_id }: AcquiredSlots) =>
      submitSlotRequest(acting, endLease(lease_id))
  const graceWindow = () => ({ now: clock.now(), graceSeconds: config.services.lease_expiration.every_seconds })

  return [
    route(
      {
        method: 'POST',
        path: `${at}/`,
        tag,
        summary: 'Create a concurrency limit',
        scope: 'concurrency_limits:write',
        kind: 'change',
        body: ConcurrencyLimitV2Create,
        responses: { 201: ConcurrencyLimitV2 },
      },
      async ({ body, actor }) => toCreatedLimitResponse(await writeQueue.as(actor).submit(createLimit(context, body)), body.active_slots),
    ),
    route(
      {
        method: 'GET',
        path: `${at}/:id_or_name`,
        tag,
        summary: 'Read a concurrency limit',
        scope: 'concurrency_limits:read',
        kind: 'query',
        params: ByIdOrName,
        responses: { 200: GlobalConcurrencyLimitResponse },
      },
      async ({ params }) => {
        const window = graceWindow()
        const row = await readLimitUsage(reads, params.id_or_name, window)
        if (!row) throw notFound('Concurrency limit')
        return toLimitResponse(row, window.now)
      },
    ),
    route(
      {
        method: 'POST',
        path: `${at}/filter`,
        tag,
        summary: 'List concurrency limits',
        scope: 'concurrency_limits:read',
        kind: 'query',
        body: GlobalConcurrencyLimitsFilterBody,
        responses: { 200: Type.Array(GlobalConcurrencyLimitResponse) },
      },
      async ({ body }) => {
        const window = graceWindow()
        return (await listLimitUsages(reads, window, pageLimit(body.limit, limitMax), body.offset)).map((row) => toLimitResponse(row, window.now))
      },
    ),
    route(
      {
        method: 'PATCH',
        path: `${at}/:id_or_name`,
        tag,
        summary: 'Update a concurrency limit',
        scope: 'concurrency_limits:write',
        kind: 'change',
        params: ByIdOrName,
        body: ConcurrencyLimitV2Update,
        responses: { 204: null },
      },
      async ({ params, body, actor }) => {
        await writeQueue.as(actor).submit(changeLimit(context, params.id_or_name, body))
      },
    ),
    route(
      {
        method: 'DELETE',
        path: `${at}/:id_or_name`,
        tag,
        summary: 'Delete a concurrency limit',
        description: 'Leases stay valid until they end; they no longer limit anything.',
        scope: 'concurrency_limits:write',
        kind: 'change',
        params: ByIdOrName,
        responses: { 204: null },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(removeLimit(context, params.id_or_name, 'stay')),
    ),
    route(
      {
        method: 'POST',
        path: `${at}/increment`,
        tag,
        summary: 'Acquire slots without a lease',
        description:
          'Acquires the slots of all limits or of none. They are held until somebody releases as many. With too few free slots the answer is 423, and `Retry-After` says when to try again; inactive limits never deny. A header `Prefer: wait=SECONDS` lets the server wait for free slots.',
        scope: 'concurrency_limits:run',
        kind: 'change',
        ignoresUnreadableBody: true,
        headers: PreferHeader,
        body: GlobalConcurrencyLimitsIncrementBody,
        responses: { 200: Type.Array(MinimalConcurrencyLimitResponse) },
        errors: [423],
      },
      async ({ body, headers, signal, actor }) => {
        const acting = actAs(context, actor)
        const rollBack = rollBackAs(acting)
        const attempt = (isRetry: boolean) => submitSlotRequest(acting, acquireSlots(context, { ...body, isRetry, lease: null }))
        return (await acquireOrWait(context, { ...body, seconds: preferredWaitSeconds(headers, config), signal, attempt, rollBack })).limits.map(
          toMinimalLimitResponse,
        )
      },
    ),
    route(
      {
        method: 'POST',
        path: `${at}/increment-with-lease`,
        tag,
        summary: 'Acquire slots with a renewable lease',
        description: 'As without a lease, but the slots return when the lease expires. Renew it before `lease_duration` seconds have passed.',
        scope: 'concurrency_limits:run',
        kind: 'change',
        ignoresUnreadableBody: true,
        headers: PreferHeader,
        body: GlobalConcurrencyLimitsIncrementWithLeaseBody,
        responses: { 200: ConcurrencyLimitWithLeaseResponse },
        errors: [423],
      },
      async ({ body: { names, slots, mode, lease_duration, holder }, headers, signal, actor }) => {
        const acting = actAs(context, actor)
        const lease = { seconds: lease_duration, holder }
        const attempt = (isRetry: boolean) =>
          trackWaiter(context, { names, slots, requester: holder }, () =>
            submitSlotRequest(acting, acquireSlots(context, { names, slots, mode, isRetry, lease })),
          )
        const { lease_id, limits } = await acquireOrWait(context, {
          names,
          slots,
          seconds: preferredWaitSeconds(headers, config),
          signal,
          attempt,
          rollBack: rollBackAs(acting),
        })
        return { lease_id, limits: limits.map(toMinimalLimitResponse) }
      },
    ),
    route(
      {
        method: 'POST',
        path: `${at}/decrement`,
        tag,
        summary: 'Release slots that were acquired without a lease',
        description: 'Returns those of the named limits that exist.',
        scope: 'concurrency_limits:run',
        kind: 'change',
        ignoresUnreadableBody: true,
        body: GlobalConcurrencyLimitsDecrementBody,
        responses: { 200: Type.Array(MinimalConcurrencyLimitResponse) },
      },
      async ({ body, actor }) => (await submitSlotRequest(actAs(context, actor), releaseSlots(body))).map(toMinimalLimitResponse),
    ),
    route(
      {
        method: 'POST',
        path: `${at}/decrement-with-lease`,
        tag,
        summary: 'End a lease and release its slots',
        description: 'A lease that does not exist is no error, so that the request can be repeated.',
        scope: 'concurrency_limits:run',
        kind: 'change',
        ignoresUnreadableBody: true,
        body: GlobalConcurrencyLimitsDecrementWithLeaseBody,
        responses: { 204: null },
      },
      ({ body, actor }) => submitSlotRequest(actAs(context, actor), endLease(body.lease_id)),
    ),
    route(
      {
        method: 'POST',
        path: `${at}/leases/:lease_id/renew`,
        tag,
        summary: 'Renew a lease',
        description: 'Answers 410 if the lease has expired or was released.',
        scope: 'concurrency_limits:run',
        kind: 'change',
        ignoresUnreadableBody: true,
        rejectsInvalidIds: true,
        params: ByLease,
        body: ConcurrencyLeaseRenewBody,
        responses: { 204: null },
        errors: [410],
      },
      ({ params, body, actor }) => submitSlotRequest(actAs(context, actor), renewLease(context, params.lease_id, body.lease_duration)),
    ),
  ]
}
