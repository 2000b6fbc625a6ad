import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { ByteBudget } from '../../src/http/byte-budget.ts'
import { createOriginCheck } from '../../src/http/origin-check.ts'
import { createServer, type HttpOptions } from '../../src/http/server.ts'
import { anonymous } from '../../src/lib/actor.ts'
import type { Route } from '../../src/lib/route.ts'
import { SliceScheduler } from '../../src/lib/slice-scheduler.ts'
import { ValueBudget } from '../../src/lib/value-budget.ts'

/** An HTTP server with routes of a test, without a database. It is closed after the test. */
export function createTestServer(routes: readonly Route[], options: Partial<HttpOptions> = {}): FastifyInstance {
  const server = createServer(routes, {
    basePath: '',
    requestsMax: 100,
    connectionsMax: 100,
    bodyBytesMax: 1000,
    origins: createOriginCheck(),
    corsOrigins: [],
    json: { depthMax: 10, valuesMax: 1000 },
    valueBudget: new ValueBudget(1000),
    slices: new SliceScheduler(() => 0),
    bodyBudget: new ByteBudget(1_000_000),
    bodyTimeoutSeconds: 10,
    keepAliveTimeoutSeconds: 5,
    logger: false,
    newId: () => 'x',
    authenticate: () => anonymous,
    authorize: () => {},
    ...options,
  })
  onTestFinished(() => server.close())
  return server
}
