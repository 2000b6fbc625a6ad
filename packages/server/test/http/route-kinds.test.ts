import { expect, test } from 'vitest'
import { createSocketRoutes } from '../../src/app-routes.ts'
import type { Route } from '../../src/lib/route.ts'
import { startInMemoryApp } from './in-memory-app.ts'

const nameOf = ({ method, path }: Route) => `${method} ${path}`

test('every route and socket declares a kind, and a scope in snake case', async () => {
  const { routes, context } = await startInMemoryApp()
  const all = [...routes, ...createSocketRoutes(context)]
  expect(all.length).toBeGreaterThan(200)
  for (const { path, scope, kind } of all) {
    expect([path, scope]).toEqual([path, expect.stringMatching(/^(public|[a-z]+(_[a-z]+)*:(read|write|run|admin))$/)])
    expect([path, kind]).toEqual([path, expect.stringMatching(/^(query|change)$/)])
  }
})

test('the scope of a query reads, that of a change does not, except that a client that may only read gets a CSRF token', async () => {
  const { routes, context } = await startInMemoryApp()
  const reads = (scope: string) => scope === 'public' || scope.endsWith(':read')
  expect(routes.filter(({ scope, kind }) => reads(scope) !== (kind === 'query')).map(nameOf)).toEqual(['GET /csrf-token'])
  expect(createSocketRoutes(context).filter(({ scope, kind }) => reads(scope) !== (kind === 'query'))).toEqual([])
})

test('only a CSRF token changes something by GET, and only GET and POST ask queries', async () => {
  const { routes } = await startInMemoryApp()
  expect(routes.filter(({ method, kind }) => method === 'GET' && kind === 'change').map(nameOf)).toEqual(['GET /csrf-token'])
  expect(routes.filter(({ method, kind }) => method !== 'GET' && method !== 'POST' && kind === 'query')).toEqual([])
})

test('workers poll and tasks take slots with bodies that need not be readable, and nothing else that changes', async () => {
  const { routes } = await startInMemoryApp()
  expect(routes.filter(({ ignoresUnreadableBody }) => ignoresUnreadableBody).map(nameOf)).toEqual([
    'POST /deployments/get_scheduled_flow_runs',
    'POST /work_pools/:name/get_scheduled_flow_runs',
    'POST /work_pools/:work_pool_name/workers/heartbeat',
    'POST /work_queues/:id/get_runs',
    'POST /v2/concurrency_limits/increment',
    'POST /v2/concurrency_limits/increment-with-lease',
    'POST /v2/concurrency_limits/decrement',
    'POST /v2/concurrency_limits/decrement-with-lease',
    'POST /v2/concurrency_limits/leases/:lease_id/renew',
    'POST /concurrency_limits/increment',
    'POST /concurrency_limits/decrement',
  ])
})
