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
import type { Parts } from '../../storage/parts.ts'
import { limitOf } from '../paging.ts'
import { changeLimit, createLimit, removeLimit } from './change-limit.ts'
import { giveSlots } from './give-slots.ts'
import { endLease, renewLease } from './keep-lease.ts'
import { MayWait, waitSeconds } from './prefer-wait.ts'
import { askOrWait } from './slot-queue.ts'
import { carryOut } from './slot-traffic.ts'
import { createdAnswer, limitAnswer, listStanding, minimalAnswer, readStanding } from './store.ts'
import { type Taken, takeSlots } from './take-slots.ts'
import { rememberingWaiters } from './waiting-room.ts'

const tag = 'Concurrency Limits V2'
const at = '/v2/concurrency_limits'
const ByIdOrName = Type.Object({ id_or_name: Text })
const ByLease = Type.Object({ lease_id: Uuid })

export function concurrencyLimitRoutes(parts: Parts): Route[] {
  const { lane, reads, clock, config } = parts
  const limitMax = config.server.api.default_limit
  const undo = ({ lease_id }: Taken) => carryOut(parts, endLease(lease_id))
  const moment = () => ({ now: clock.now(), graceSeconds: config.services.lease_repossession.every_seconds })

  return [
    route(
      {
        method: 'POST',
        path: `${at}/`,
        tag,
        summary: 'Create a concurrency limit',
        scope: 'concurrency-limits:write',
        body: ConcurrencyLimitV2Create,
        answers: { 201: ConcurrencyLimitV2 },
      },
      async ({ body }) => createdAnswer(await lane.submit(createLimit(parts, body)), body.active_slots),
    ),
    route(
      {
        method: 'GET',
        path: `${at}/:id_or_name`,
        tag,
        summary: 'Read a concurrency limit',
        scope: 'concurrency-limits:read',
        params: ByIdOrName,
        answers: { 200: GlobalConcurrencyLimitResponse },
      },
      async ({ params }) => {
        const at = moment()
        const row = await readStanding(reads, params.id_or_name, at)
        if (!row) throw notFound('Concurrency limit')
        return limitAnswer(row, at.now)
      },
    ),
    route(
      {
        method: 'POST',
        path: `${at}/filter`,
        tag,
        summary: 'List concurrency limits',
        scope: 'concurrency-limits:read',
        body: GlobalConcurrencyLimitsFilterBody,
        answers: { 200: Type.Array(GlobalConcurrencyLimitResponse) },
      },
      async ({ body }) => {
        const at = moment()
        return (await listStanding(reads, at, limitOf(body.limit, limitMax), body.offset)).map((row) => limitAnswer(row, at.now))
      },
    ),
    route(
      {
        method: 'PATCH',
        path: `${at}/:id_or_name`,
        tag,
        summary: 'Update a concurrency limit',
        scope: 'concurrency-limits:write',
        params: ByIdOrName,
        body: ConcurrencyLimitV2Update,
        answers: { 204: null },
      },
      async ({ params, body }) => {
        await lane.submit(changeLimit(parts, params.id_or_name, body))
      },
    ),
    route(
      {
        method: 'DELETE',
        path: `${at}/:id_or_name`,
        tag,
        summary: 'Delete a concurrency limit',
        scope: 'concurrency-limits:write',
        params: ByIdOrName,
        answers: { 204: null },
      },
      ({ params }) => lane.submit(removeLimit(parts, params.id_or_name, 'stay')),
    ),
    route(
      {
        method: 'POST',
        path: `${at}/increment`,
        tag,
        summary: 'Take slots, until they are given back',
        scope: 'concurrency-limits:run',
        headers: MayWait,
        body: GlobalConcurrencyLimitsIncrementBody,
        answers: { 200: Type.Array(MinimalConcurrencyLimitResponse) },
      },
      async ({ body, headers, signal }) => {
        const ask = (isAnew: boolean) => carryOut(parts, takeSlots(parts, { ...body, isAnew, lease: null }))
        return (await askOrWait(parts, { ...body, seconds: waitSeconds(headers, config), signal, ask, undo })).limits.map(minimalAnswer)
      },
    ),
    route(
      {
        method: 'POST',
        path: `${at}/increment-with-lease`,
        tag,
        summary: 'Take slots for a time, which can be renewed',
        scope: 'concurrency-limits:run',
        headers: MayWait,
        body: GlobalConcurrencyLimitsIncrementWithLeaseBody,
        answers: { 200: ConcurrencyLimitWithLeaseResponse },
      },
      async ({ body: { names, slots, mode, lease_duration, holder }, headers, signal }) => {
        const ask = (isAnew: boolean) => {
          const take = () => carryOut(parts, takeSlots(parts, { names, slots, mode, isAnew, lease: { seconds: lease_duration, holder } }))
          return rememberingWaiters(parts, { names, slots, asker: holder }, take)
        }
        const { lease_id, limits } = await askOrWait(parts, { names, slots, seconds: waitSeconds(headers, config), signal, ask, undo })
        return { lease_id, limits: limits.map(minimalAnswer) }
      },
    ),
    route(
      {
        method: 'POST',
        path: `${at}/decrement`,
        tag,
        summary: 'Give back slots that were taken without a lease',
        scope: 'concurrency-limits:run',
        body: GlobalConcurrencyLimitsDecrementBody,
        answers: { 200: Type.Array(MinimalConcurrencyLimitResponse) },
      },
      async ({ body }) => (await carryOut(parts, giveSlots(body))).map(minimalAnswer),
    ),
    route(
      {
        method: 'POST',
        path: `${at}/decrement-with-lease`,
        tag,
        summary: 'End a lease and give back its slots',
        scope: 'concurrency-limits:run',
        body: GlobalConcurrencyLimitsDecrementWithLeaseBody,
        answers: { 204: null },
      },
      ({ body }) => carryOut(parts, endLease(body.lease_id)),
    ),
    route(
      {
        method: 'POST',
        path: `${at}/leases/:lease_id/renew`,
        tag,
        summary: 'Renew a lease',
        scope: 'concurrency-limits:run',
        refusesBadIds: true,
        params: ByLease,
        body: ConcurrencyLeaseRenewBody,
        answers: { 204: null },
      },
      ({ params, body }) => carryOut(parts, renewLease(parts, params.lease_id, body.lease_duration)),
    ),
  ]
}
