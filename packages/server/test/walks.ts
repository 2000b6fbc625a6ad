import { automationActions, triggerEvaluator } from '../src/services/automations.ts'
import { createAutomation, reactiveTrigger } from './automations.ts'
import { seedWorkPool } from './seed-work-pool.ts'
import { runService, type TestApp } from './setup.ts'
import { traceFiles } from './trace-files.ts'

/** A walk of ARCHITECTURE.md: what a client or an event sets in motion. */
export interface Walk {
  readonly title: string
  /** Prepares the walk and returns one pass of it. */
  prepare(app: TestApp, send: Send): Promise<() => Promise<unknown>>
}

/** Sends a request through a socket, as a client does. */
type Send = (path: string, body: unknown) => Promise<unknown>

export const walks: readonly Walk[] = [
  {
    title: 'A client proposes a state',
    async prepare(app, send) {
      const flow = (await app.call('POST', '/flows/', { name: 'walk' })).body.id
      const ids: string[] = []
      for (let run = 0; run < 20; run += 1) ids.push((await app.call('POST', '/flow_runs/', { flow_id: flow, state: { type: 'PENDING' } })).body.id)
      return () => send(`/flow_runs/${ids.pop()}/set_state`, { state: { type: 'RUNNING' } })
    },
  },
  {
    title: 'A worker polls',
    async prepare(app, send) {
      const { scheduleRun } = await seedWorkPool(app)
      await scheduleRun('default', 'due', -10)
      return () => send('/work_pools/mill/get_scheduled_flow_runs', {})
    },
  },
  {
    title: 'An event fires an automation',
    async prepare(app, send) {
      const { deployments } = await seedWorkPool(app)
      await createAutomation(app, reactiveTrigger('walk'), [{ type: 'run-deployment', source: 'selected', deployment_id: deployments.default }])
      return async () => {
        await send('/events', [
          { occurred: app.clock.now() / 1_000_000, event: 'walk', resource: { 'prefect.resource.id': 'walk' }, id: crypto.randomUUID() },
        ])
        await runService(app, triggerEvaluator)
        await runService(app, automationActions)
      }
    },
  },
  {
    title: 'A page lists runs',
    async prepare(app, send) {
      const flow = (await app.call('POST', '/flows/', { name: 'walk' })).body.id
      for (let run = 0; run < 3; run += 1) await app.call('POST', '/flow_runs/', { flow_id: flow, state: { type: 'PENDING' } })
      return () => send('/flow_runs/paginate', { sort: 'EXPECTED_START_TIME_DESC', flow_runs: { state: { type: { any_: ['PENDING'] } } } })
    },
  },
]

/** The files that one pass of the walk enters, on a warm server. */
export async function traceWalk(app: TestApp, walk: Walk): Promise<string[]> {
  const address = await app.server.listen({ port: 0, host: '127.0.0.1' })
  const send: Send = async (path, body) => {
    const response = await fetch(`${address}/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`POST ${path} returned ${response.status}: ${text}`)
    return text
  }
  return traceFiles(await walk.prepare(app, send))
}
