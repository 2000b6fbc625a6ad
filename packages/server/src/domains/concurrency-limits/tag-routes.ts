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
import { type Route, RouteResponse, route } from '../../lib/route.ts'
import { tagLimitName, tagLimitNames } from '../../orchestration/limits.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { IdParams, pageLimit } from '../request-params.ts'
import { changeLimit, createLimit, removeLimit } from './change-limit.ts'
import type { LimitRow } from './decay.ts'
import { PreferHeader, preferredWaitSeconds } from './prefer-wait.ts'
import { resetTagLimit } from './reset-tag-limit.ts'
import { submitSlotRequest } from './slot-batch.ts'
import { acquireOrWait } from './slot-wait-queue.ts'
import { listTagLimits, readLimit, readLimitByName, readTaskHolders, toMinimalLimitResponse, toTagLimitResponse } from './store.ts'
import { acquireTagSlots, releaseTagSlots } from './tag-slots.ts'
import { trackWaiter } from './waiter-registry.ts'

const tag = 'Concurrency Limits'
const at = '/concurrency_limits'
const ByTag = Type.Object({ tag: Text })

/** The older operations, which know limits by tag: a limit on a tag is the limit named `tag:` and the tag. */
export function tagLimitRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, clock, config } = context

  const answers = async (rows: readonly LimitRow[]) => {
    const holders = await readTaskHolders(
      reads,
      rows.map(({ id }) => id),
      clock.now(),
    )
    return rows.map((row) => toTagLimitResponse(row, holders.get(row.id) ?? []))
  }
  const answer = async (row: LimitRow | undefined) => {
    if (!row?.name.startsWith('tag:')) throw notFound('Concurrency limit')
    return (await answers([row]))[0]
  }
  const createOrChange = (name: string, limit: number) => async (tx: Tx) => {
    const known = await readLimitByName(tx, name)
    if (known) return { made: false, row: await changeLimit(context, known.id, { limit })(tx) }
    return {
      made: true,
      row: await createLimit(context, { name, limit, active: true, active_slots: 0, denied_slots: 0, slot_decay_per_second: 0 })(tx),
    }
  }

  return [
    route(
      {
        method: 'POST',
        path: `${at}/`,
        tag,
        summary: 'Create a limit on a tag, or change the one there is',
        scope: 'concurrency-limits:write',
        body: ConcurrencyLimitCreate,
        responses: { 201: ConcurrencyLimit, 200: ConcurrencyLimit },
      },
      async ({ body }) => {
        const { made, row } = await writeQueue.submit(createOrChange(tagLimitName(body.tag), body.concurrency_limit))
        return new RouteResponse(made ? 201 : 200, await answer(row))
      },
    ),
    route(
      {
        method: 'GET',
        path: `${at}/:id`,
        tag,
        summary: 'Read a limit on a tag',
        scope: 'concurrency-limits:read',
        params: IdParams,
        responses: { 200: ConcurrencyLimit },
      },
      async ({ params }) => answer(await readLimit(reads, params.id)),
    ),
    route(
      {
        method: 'GET',
        path: `${at}/tag/:tag`,
        tag,
        summary: 'Read the limit on a tag',
        scope: 'concurrency-limits:read',
        params: ByTag,
        responses: { 200: ConcurrencyLimit },
      },
      async ({ params }) => answer(await readLimitByName(reads, tagLimitName(params.tag))),
    ),
    route(
      {
        method: 'POST',
        path: `${at}/filter`,
        tag,
        summary: 'List limits on tags',
        scope: 'concurrency-limits:read',
        body: ConcurrencyLimitsFilterBody,
        responses: { 200: Type.Array(ConcurrencyLimit) },
      },
      async ({ body }) => answers(await listTagLimits(reads, pageLimit(body.limit, config.server.api.default_limit), body.offset)),
    ),
    route(
      {
        method: 'POST',
        path: `${at}/tag/:tag/reset`,
        tag,
        summary: 'Free the slots of a tag, or say who holds them',
        scope: 'concurrency-limits:write',
        params: ByTag,
        body: ConcurrencyLimitResetBody,
        responses: { 200: Type.Null() },
      },
      ({ params, body }) => writeQueue.submit(resetTagLimit(context, params.tag, body.slot_override ?? [])),
    ),
    route(
      {
        method: 'DELETE',
        path: `${at}/:id`,
        tag,
        summary: 'Delete a limit on a tag',
        scope: 'concurrency-limits:write',
        params: IdParams,
        responses: { 200: Type.Null() },
      },
      ({ params }) => writeQueue.submit(removeLimit(context, params.id, 'end')),
    ),
    route(
      {
        method: 'DELETE',
        path: `${at}/tag/:tag`,
        tag,
        summary: 'Delete the limit on a tag',
        scope: 'concurrency-limits:write',
        params: ByTag,
        responses: { 200: Type.Null() },
      },
      ({ params }) => writeQueue.submit(removeLimit(context, tagLimitName(params.tag), 'end')),
    ),
    route(
      {
        method: 'POST',
        path: `${at}/increment`,
        tag,
        summary: 'Take a slot of each tag for a task run',
        scope: 'concurrency-limits:run',
        headers: PreferHeader,
        body: ConcurrencyLimitsIncrementBody,
        responses: { 200: Type.Array(MinimalConcurrencyLimitResponse) },
      },
      async ({ body: { names: tags, task_run_id: id }, headers, signal }) => {
        const asked = { names: tagLimitNames(tags), slots: 1, requester: { type: 'task_run', id } }
        const limits = await acquireOrWait(context, {
          ...asked,
          seconds: preferredWaitSeconds(headers, config),
          signal,
          attempt: () => trackWaiter(context, asked, () => submitSlotRequest(context, acquireTagSlots(context, tags, id))),
          rollBack: () => submitSlotRequest(context, releaseTagSlots(tags, id)),
        })
        // Here clients expect the bare tag, and the limit's full name when slots are given back.
        return limits.map((row) => ({ ...toMinimalLimitResponse(row), name: row.name.slice('tag:'.length) }))
      },
    ),
    route(
      {
        method: 'POST',
        path: `${at}/decrement`,
        tag,
        summary: 'Give back the slots that a task run has of the tags',
        scope: 'concurrency-limits:run',
        body: ConcurrencyLimitsDecrementBody,
        responses: { 200: Type.Array(MinimalConcurrencyLimitResponse) },
      },
      async ({ body }) => (await submitSlotRequest(context, releaseTagSlots(body.names, body.task_run_id))).map(toMinimalLimitResponse),
    ),
  ]
}
