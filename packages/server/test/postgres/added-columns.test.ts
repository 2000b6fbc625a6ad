import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type TableName, tables } from '../../src/storage/tables.ts'
import { migratedPostgres } from '../databases.ts'
import { reportFigures } from '../proof-size.ts'
import { startApp } from '../setup.ts'
import { start, stateEvent } from '../task-run-events.ts'

/** Clients that repeat one kind of request without pause, with the requests that the server failed to answer. */
function startLoad(requests: readonly (() => Promise<{ status: number; body: unknown }>)[]) {
  const failures: string[] = []
  let answered = 0
  let isStopped = false
  let nextRound = Promise.withResolvers<void>()
  let waiting = new Set(requests)
  const client = async (request: (typeof requests)[number]) => {
    // The first request of a round may have begun before the change that the round observes.
    for (let n = 0; !isStopped; n += 1) {
      const round = nextRound
      const { status, body } = await request()
      answered += 1
      if (status >= 300) failures.push(`request ${requests.indexOf(request)}: ${status} ${(body as { code?: string }).code}`)
      if (n % 2 === 1 && round === nextRound) waiting.delete(request)
      if (waiting.size === 0) {
        waiting = new Set(requests)
        nextRound.resolve()
        nextRound = Promise.withResolvers()
      }
    }
  }
  const clients = requests.map(client)
  return {
    failures,
    answered: () => answered,
    round: () => nextRound.promise,
    async stop() {
      isStopped = true
      await Promise.all(clients)
    },
  }
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** Tables that change while each client sends two requests. */
const tablesPerRound = 8

test('a column added to any table beside a server under load fails no request', { timeout: 60_000 }, async () => {
  const { url, drop } = await migratedPostgres()
  const app = await startApp(url, { env: { MILLRACE_DATABASE_POOL_SIZE: '8' } })
  onTestFinished(async () => {
    await app.close()
    await drop()
  })
  const post = (path: string, body: unknown) => app.call('POST', path, body)
  const flow = (await post('/flows/', { name: 'f' })).body.id
  await post('/v2/concurrency_limits/', { name: 'tag:slot', limit: 100 })
  await post('/work_pools/', { name: 'pool', type: 'process' })
  const deployment = (await post('/deployments/', { name: 'd', flow_id: flow, work_pool_name: 'pool', concurrency_limit: 50 })).body.id
  const pending = { type: 'PENDING' }
  const createRun = async () => (await post('/flow_runs/', { flow_id: flow, state: pending })).body.id as string
  const run = await createRun()
  const shared = randomUUID()

  const load = startLoad([
    () => post('/flow_runs/', { flow_id: flow, idempotency_key: randomUUID(), state: pending }),
    () => post('/flow_runs/', { flow_id: flow, idempotency_key: shared, state: pending }),
    () => post(`/deployments/${deployment}/create_flow_run`, { idempotency_key: randomUUID() }),
    () => post('/task_runs/', { flow_run_id: run, task_key: 't', dynamic_key: randomUUID(), tags: ['slot'] }),
    () => post('/task_runs/', { flow_run_id: run, task_key: 't', dynamic_key: shared }),
    () => post('/events', [stateEvent({ id: randomUUID(), flowRun: run, key: randomUUID() }, 'RUNNING', start, { name: 'n' })]),
    () => post('/logs/', [{ name: 'l', level: 20, message: 'm', timestamp: '2030-01-01T00:00:00Z', flow_run_id: run }]),
    () => post('/logs/filter', { logs: { flow_run_id: { any_: [run] } }, limit: 5 }),
    () => post('/flow_runs/filter', { flow_runs: { id: { any_: [run] } } }),
    () => post('/task_runs/filter', { flow_runs: { id: { any_: [run] } }, limit: 5 }),
    () => app.call('GET', `/flow_runs/${run}`),
    () => post('/work_pools/pool/get_scheduled_flow_runs', {}),
    () =>
      post('/v2/concurrency_limits/increment-with-lease', { names: ['tag:slot'], slots: 1, mode: 'concurrency', lease_duration: 60 }).then(
        (answer) => (answer.status === 423 ? { ...answer, status: 200 } : answer),
      ),
    () => post('/variables/', { name: `v${randomUUID().replaceAll('-', '')}`, value: 1 }),
    () => post('/artifacts/', { key: 'k', type: 'markdown', data: 'd' }),
    async () => post(`/flow_runs/${await createRun()}/set_state`, { state: { type: 'RUNNING' } }),
  ])
  const operator = await connect(url)
  for (const [index, table] of (Object.keys(tables) as TableName[]).entries()) {
    if (index % tablesPerRound === 0) await load.round()
    await operator.query(`alter table ${table} add column added_later text`)
  }
  await load.round()
  await load.stop()
  reportFigures(`${load.answered()} requests, ${load.failures.length} failed`)
  expect(countBy(load.failures)).toEqual({})
})
