import { serviceActor } from '../src/lib/actor.ts'
import { automationActions, automationOutboundActions, triggerEvaluator } from '../src/services/automations.ts'
import { type ActingContext, actAs, type ServerContext } from '../src/storage/server-context.ts'
import type { TestApp } from './setup.ts'

const signal = new AbortController().signal

type Json = Record<string, unknown>

/** A distinct UUID for each number. */
export const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

export const reactiveTrigger = (name: string, more: Json = {}): Json => ({ type: 'event', posture: 'Reactive', expect: [name], ...more })

export async function createAutomation(app: TestApp, trigger: Json, actions: Json[] = [{ type: 'do-nothing' }], more: Json = {}): Promise<string> {
  const { status, body } = await app.call('POST', '/automations/', { name: 'auto', trigger, actions, ...more })
  if (status !== 201) throw new Error(`POST /automations/ returned ${status}: ${JSON.stringify(body)}`)
  return body.id
}

let sentCount = 0

/** Sends an event that occurs now by default. Returns its id. */
export async function sendEvent(app: TestApp, event: string, more: Json = {}): Promise<string> {
  sentCount += 1
  const id = (more.id as string | undefined) ?? uuid(1_000_000 + sentCount)
  const occurred = app.clock.now() / 1_000_000
  const { status, body } = await app.call('POST', '/events', [{ occurred, event, resource: { 'prefect.resource.id': 'thing' }, id, ...more }])
  if (status !== 204) throw new Error(`POST /events returned ${status}: ${JSON.stringify(body)}`)
  return id
}

/** Runs the services until they have no work left. */
export async function runUntilIdle(app: { readonly context: ServerContext }): Promise<Record<string, number>> {
  const total: Record<string, number> = { fired: 0, executed: 0, failed: 0, lost: 0 }
  for (;;) {
    let done = 0
    for (const service of [triggerEvaluator, automationActions, automationOutboundActions]) {
      for (const [name, count] of Object.entries(await service.runOnce(actAs(app.context, serviceActor(service.name)), signal))) {
        total[name] = (total[name] ?? 0) + count
        done += count
      }
    }
    if (done === 0) return total
  }
}

export interface AutomationEvent {
  readonly event: string
  readonly resource: Record<string, string>
  readonly related: Record<string, string>[]
  // biome-ignore lint/suspicious/noExplicitAny: the test checks the payload
  readonly payload: any
  readonly id: string
  readonly follows: string | null
}

/** Events of an automation, in the order of the log. */
export async function readAutomationEvents(app: TestApp, id: string, ...names: string[]): Promise<AutomationEvent[]> {
  const rows = await app.context.reads.kysely
    .selectFrom('event')
    .selectAll()
    .where('resource_id', '=', `prefect.automation.${id}`)
    .orderBy('position')
    .execute()
  const wanted = names.length === 0 ? ['triggered', 'action.triggered', 'action.executed', 'action.failed'] : names
  return rows
    .filter(({ event }) => wanted.some((name) => event === `prefect.automation.${name}`))
    .map((row) => ({ ...row, resource: JSON.parse(row.resource), related: JSON.parse(row.related), payload: JSON.parse(row.payload) }))
}

/** Ids of the events that triggered an automation; null for a firing without an event. */
export const readTriggeringEventIds = async (app: TestApp, id: string): Promise<(string | null)[]> =>
  (await readAutomationEvents(app, id, 'triggered')).map(({ payload }) => payload.triggering_event?.id ?? null)

/** A second server on the same database, without shared memory. */
export const createReplica = (app: TestApp): { readonly context: ActingContext } => ({
  context: { ...app.context, server: { ...app.context.server } },
})

/** A flow, a pool with its queue, and a deployment in it. */
export async function seedDeployment(app: TestApp, more: object = {}) {
  const flow: string = (await app.call('POST', '/flows/', { name: 'flow' })).body.id
  const { id: pool, default_queue_id: queue } = (await app.call('POST', '/work_pools/', { name: 'mill', type: 'process' })).body
  const deployment: string = (
    await app.call('POST', '/deployments/', { name: 'dep', flow_id: flow, work_pool_name: 'mill', parameters: { kept: 1 }, ...more })
  ).body.id
  return { flow, pool, queue, deployment }
}

/** Creates a run in a state and returns the event that names it. */
export async function createRunInState(app: TestApp, type: string, more: object = {}) {
  const flow = (await app.call('POST', '/flows/', { name: 'flow' })).body.id
  const run: string = (await app.call('POST', '/flow_runs/', { flow_id: flow, state: { type }, ...more })).body.id
  const state = async () => (await app.call('GET', `/flow_runs/${run}`)).body.state
  return { run, state, event: { resource: { 'prefect.resource.id': `prefect.flow-run.${run}` } } }
}

/** The result of the first action of an automation. */
export const readActionResult = async (app: TestApp, id: string) => {
  const [last] = await readAutomationEvents(app, id, 'action.executed', 'action.failed')
  return (
    last && {
      outcome: last.event.split('.').at(-1),
      targets: last.related.filter((one) => one['prefect.resource.role'] === 'target'),
      ...last.payload,
    }
  )
}

/** Evaluates triggers without running actions. */
export const evaluateTriggers = (app: TestApp) => triggerEvaluator.runOnce(app.context, signal)
