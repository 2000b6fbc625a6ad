import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, buildApp } from '../../server/src/app.ts'
import { readConfig } from '../../server/src/config.ts'
import { systemRandom } from '../../server/src/lib/random.ts'
import { systemClock } from '../../server/src/lib/time.ts'
import { migratedSqlite } from '../../server/test/databases.ts'
import { allMeasurements } from '../src/all-workloads.ts'
import { removeFixtures } from '../src/fixtures.ts'
import { HttpConnection } from '../src/http-connection.ts'
import { openBench, runBench } from '../src/run-bench.ts'

let app: App
let options: Parameters<typeof runBench>[0]
let drop: () => Promise<void>

beforeAll(async () => {
  const database = await migratedSqlite()
  drop = database.drop
  const { config } = readConfig({ MILLRACE_DATABASE_URL: database.url, MILLRACE_SERVER_LOG_LEVEL: 'error' }, [])
  app = await buildApp({ config, clock: systemClock(), random: systemRandom() })
  app.startServices()
  const address = await app.server.listen({ host: '127.0.0.1', port: 0 })
  const sizes = { graphLayers: 3, bulkRequests: 2, scheduledDeployments: 5, schedulerIdleMs: 500 }
  // Fewer runs than a benchmark, but at least one page of 200, and deployments with runs.
  options = {
    urls: [`${address}/api`],
    prefix: 'test-bench',
    stamp: '0123abcd',
    runs: 250,
    users: 2,
    seconds: 0.1,
    groups: { server: [process.pid] },
    sizes,
  }
})

afterAll(async () => {
  await app.close()
  await drop()
})

test('runs every workload with right answers only, and removes its data', async () => {
  const results = await runBench(options)
  const context = await openBench(options)
  context.setup.close()
  expect(results.map(({ name }) => name)).toEqual(allMeasurements(context).map(({ name }) => name))
  expect(results.filter(({ errors, operations, failure }) => errors > 0 || operations === 0 || failure !== undefined)).toEqual([])
  expect(results.filter(({ usage }) => usage === undefined || !(usage.server?.cores ?? 0)).map(({ name }) => name)).toEqual([])
  expect(results.find(({ name }) => name === 'events.write')?.stored).toMatchObject({ sent: expect.any(Number) })

  const http = new HttpConnection(options.urls[0] as string)
  expect(await removeFixtures(http, 'test-bench')).toBeGreaterThan(250)
  for (const noun of ['flows', 'flow_runs', 'deployments', 'work_pools', 'automations'])
    expect([noun, await http.post(`/${noun}/count`, {})]).toEqual([noun, 0])
  http.close()
}, 180_000)
