import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { migratedPostgres } from '../databases.ts'
import { reportFigures } from '../proof-size.ts'
import { startApp } from '../setup.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** A server whose round trips to the database are counted. */
async function startCounted({ assumesAlone = false } = {}) {
  const { url, drop } = await migratedPostgres()
  const proxy = await startTcpProxy(url)
  const app = await startApp(proxy.url, { env: { MILLRACE_DATABASE_MIGRATE_ON_START: 'true' }, assumesAlone })
  onTestFinished(async () => {
    await app.close()
    await proxy.close()
    await drop()
  })
  return { app, proxy }
}

test.each([
  // The reads, with `begin` in the message of the first one; then the writes, the events and the commit.
  { server: 'of several servers', assumesAlone: false, expected: [2, 2, 2, 2] },
  { server: 'on a server that is alone', assumesAlone: true, expected: [2, 2, 2, 2] },
])('a flow run $server needs few round trips for its creation and changes', async ({ assumesAlone, expected }) => {
  const { app, proxy } = await startCounted({ assumesAlone })
  const { body: flow } = await app.call('POST', '/flows/', { name: 'f' })
  const lifecycle = async () => {
    const trips: number[] = []
    const counted = async (path: string, body: unknown, method = 'POST') => {
      const before = proxy.roundTrips()
      const answer = await app.call(method, path, body)
      expect(answer.status).toBeLessThan(300)
      trips.push(proxy.roundTrips() - before)
      return answer.body
    }
    const run = await counted('/flow_runs/', { flow_id: flow.id, name: randomUUID(), state: { type: 'PENDING', name: 'Pending' } })
    for (const type of ['RUNNING', 'COMPLETED']) await counted(`/flow_runs/${run.id}/set_state`, { state: { type } })
    await counted(`/flow_runs/${run.id}`, { infrastructure_pid: 'host:1', tags: ['a'] }, 'PATCH')
    return trips
  }
  // The first lifecycle prepares statements and opens connections; a heartbeat may add a round trip.
  const all: number[][] = []
  for (let n = 0; n < 6; n += 1) all.push(await lifecycle())
  const trips = [0, 1, 2, 3].map((step) => Math.min(...all.map((each) => each[step] as number)))
  reportFigures(`round trips of create, RUNNING, COMPLETED, change: ${trips.join(', ')}`)
  expect(trips).toEqual(expected)
})

test.each([
  { server: 'of several servers', assumesAlone: false, expected: 2 },
  { server: 'on a server that is alone', assumesAlone: true, expected: 2 },
])('changes of flow runs and task runs $server that arrive together share their round trips', async ({ assumesAlone, expected }) => {
  const { app, proxy } = await startCounted({ assumesAlone })
  const { body: flow } = await app.call('POST', '/flows/', { name: 'f' })
  const createRun = () => app.call('POST', '/flow_runs/', { flow_id: flow.id, state: { type: 'PENDING' } })
  const createTask = (flowRunId: string, key: string) =>
    app.call('POST', '/task_runs/', { flow_run_id: flowRunId, task_key: 't', dynamic_key: key, tags: ['tag'] })
  const trips: number[] = []
  for (let n = 0; n < 6; n += 1) {
    const [{ body: run }, { body: parent }] = await Promise.all([createRun(), createRun()])
    for (const { id } of [run, parent]) await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'RUNNING' } })
    const { body: task } = await createTask(parent.id, '0')
    const before = proxy.roundTrips()
    const answers = await Promise.all([
      createRun(),
      app.call('POST', `/flow_runs/${run.id}/set_state`, { state: { type: 'COMPLETED' } }),
      createTask(parent.id, '1'),
      app.call('POST', `/task_runs/${task.id}/set_state`, { state: { type: 'RUNNING' } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    trips.push(proxy.roundTrips() - before)
  }
  reportFigures(`round trips of two creations and two transitions: ${trips.join(', ')}`)
  expect(Math.min(...trips)).toBe(expected)
})
