import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, inject, test } from 'vitest'
import { type Random, seededRandom } from '../src/lib/random.ts'
import { uuid } from './automations.ts'
import { migratedPostgres } from './databases.ts'
import { proofSize, reportFigures } from './proof-size.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const events = proofSize(400, 10_000)
const kills = proofSize(1, 2)
const batchSize = 50
const senders = 4
const seed = Number(process.env.PROOF_SEED ?? 1)

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

/** A server that is killed and restarted on its database. Requests wait until it is back. */
class RestartableServer {
  readonly #databaseUrl: string
  #running: Promise<ServerProcess>

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl
    this.#running = startServerProcess(databaseUrl, ['--no-ui'])
  }

  async kill(): Promise<void> {
    const server = await this.#running
    const gone = server.kill('SIGKILL')
    this.#running = gone.then(() => startServerProcess(this.#databaseUrl, ['--no-ui']))
    await this.#running
  }

  async end(): Promise<void> {
    await (await this.#running).kill('SIGKILL')
  }

  /** Repeats the request until a response arrives, like a client that does not know whether the server received it. */
  // biome-ignore lint/suspicious/noExplicitAny: the test checks the shape of the response
  async post(path: string, body: unknown): Promise<any> {
    for (;;) {
      const server = await this.#running
      try {
        return await server.post(path, body)
      } catch (error) {
        // Only a broken connection leaves the outcome of the request unknown.
        if (!(error instanceof TypeError)) throw error
        await pause(5)
      }
    }
  }
}

const createEvent = (n: number) => ({
  id: uuid(n),
  event: 'burst',
  occurred: new Date().toISOString(),
  resource: { 'prefect.resource.id': `thing.${n}` },
})

/** Sends a burst of events, each of which makes the automation create a flow run, and kills the server several times during the burst. */
async function sendBurstWithKills(databaseUrl: string, random: Random): Promise<RestartableServer> {
  const server = new RestartableServer(databaseUrl)
  cleanups.push(() => server.end())
  const flow = await server.post('/flows/', { name: 'f' })
  const deployment = await server.post('/deployments/', { name: 'd', flow_id: flow.id })
  await server.post('/automations/', {
    name: 'each',
    trigger: { type: 'event', posture: 'Reactive', expect: ['burst'], for_each: ['prefect.resource.id'], threshold: 1, within: 0 },
    actions: [{ type: 'run-deployment', source: 'selected', deployment_id: deployment.id, parameters: { of: '{{ event.resource.id }}' } }],
  })

  const runs = () => server.post('/flow_runs/count', {})
  let next = 0
  let acknowledged = 0
  const send = async () => {
    while (next < events) {
      const first = next
      next += batchSize
      await server.post(
        '/events',
        Array.from({ length: batchSize }, (_, n) => createEvent(first + n)),
      )
      acknowledged += batchSize
    }
  }
  const sent = Promise.all(Array.from({ length: senders }, send))
  const pointsOfKills = () => Array.from({ length: kills }, (_, n) => Math.floor((events * (n + 0.1 + 0.8 * random.next())) / kills))
  // First while events arrive, then while their actions run.
  for (const at of pointsOfKills()) {
    while (acknowledged < at) await pause(1)
    reportFigures(`killed with ${acknowledged} events acknowledged and ${await runs()} runs made`)
    await server.kill()
  }
  await sent
  for (const at of pointsOfKills()) {
    while ((await runs()) < at) await pause(5)
    reportFigures(`killed with ${await runs()} runs made`)
    await server.kill()
  }
  while ((await runs()) < events) await pause(50)
  return server
}

/** Ids of the triggering events for which the automation emitted an event of this name. */
async function readTriggeringEvents(server: RestartableServer, name: string): Promise<number[]> {
  const found: number[] = []
  let page = await server.post('/events/filter', { filter: { event: { name: [`prefect.automation.${name}`] } }, limit: 50 })
  for (;;) {
    for (const { related } of page.events) {
      const { 'prefect.resource.id': id } = related.find((one: Record<string, string>) => one['prefect.resource.role'] === 'triggering-event')
      found.push(Number(id.slice(-12)))
    }
    if (!page.next_page) return found
    page = await (await fetch(page.next_page)).json()
  }
}

async function readCreatedRuns(server: RestartableServer): Promise<number[]> {
  const found: number[] = []
  for (let offset = 0; ; offset += 200) {
    const page = await server.post('/flow_runs/filter', { limit: 200, offset, sort: 'ID_DESC' })
    for (const { parameters } of page) found.push(Number(parameters.of.slice('thing.'.length)))
    if (page.length < 200) return found
  }
}

async function expectExactlyOnce(databaseUrl: string): Promise<void> {
  const server = await sendBurstWithKills(databaseUrl, seededRandom(seed))
  // One more event after another kill: all repetitions of earlier actions come before it.
  await server.kill()
  await server.post('/events', [createEvent(events)])
  while ((await server.post('/flow_runs/count', {})) <= events) await pause(20)

  const wanted = Array.from({ length: events + 1 }, (_, n) => n)
  const inOrder = (list: number[]) => list.sort((a, b) => a - b)
  expect(inOrder(await readTriggeringEvents(server, 'triggered'))).toEqual(wanted)
  expect(inOrder(await readCreatedRuns(server))).toEqual(wanted)
  expect(inOrder(await readTriggeringEvents(server, 'action.triggered'))).toEqual(wanted)
  expect(inOrder(await readTriggeringEvents(server, 'action.executed'))).toEqual(wanted)
  expect(await readTriggeringEvents(server, 'action.failed')).toEqual([])
}

const title = `kills in a burst of ${events} events: no firing and no action is lost or repeated`

test(`${title} (sqlite)`, async () => {
  await expectExactlyOnce(`sqlite:${join(mkdtempSync(join(inject('scratchFolder'), 'burst-')), 'millrace.db')}`)
}, 600_000)

test(`${title} (postgres)`, async () => {
  const { url, drop } = await migratedPostgres()
  cleanups.push(drop)
  await expectExactlyOnce(url)
}, 600_000)
