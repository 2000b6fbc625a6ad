import { LimitHolders } from '@millrace/contracts/limit-holders.ts'
import { Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { readHolders } from './holders.ts'
import { findLimit } from './store.ts'
import { waiterRegistry } from './waiter-registry.ts'

export function limitHolderRoutes(context: ServerContext): Route[] {
  const { reads, clock } = context
  return [
    route(
      {
        method: 'GET',
        path: '/v2/concurrency_limits/:id_or_name/holders',
        tag: 'Concurrency Limits V2',
        summary: 'List the holders and waiters of a concurrency limit',
        description: 'Waiters are runs in `AwaitingConcurrencySlot` and clients whose request was denied. The lists are bounded; the counts are not.',
        scope: 'concurrency_limits:read',
        kind: 'query',
        params: Type.Object({ id_or_name: Text }),
        responses: { 200: LimitHolders },
      },
      async ({ params }) => {
        const limit = await findLimit(reads, params.id_or_name)
        if (!limit) throw notFound('Concurrency limit')
        const now = clock.now()
        return readHolders(reads, limit, waiterRegistry(context).list(limit.name, now), now)
      },
    ),
  ]
}
