import { automationActions, automationOutboundActions, triggerEvaluator } from '../src/services/automations.ts'
import type { ServerContext } from '../src/storage/server-context.ts'
import type { TestApp } from './setup.ts'

/** What tests of automations share. */

const signal = new AbortController().signal

type Json = Record<string, unknown>

/** An id of the right form that tells two things apart. */
export const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

export const reactiveTrigger = (name: string, more: Json = {}): Json => ({ type: 'event', posture: 'Reactive', expect: [name], ...more })

export async function createAutomation(app: TestApp, trigger: Json, actions: Json[] = [{ type: 'do-nothing' }], more: Json = {}): Promise<string> {
  const { status, body } = await app.call('POST', '/automations/', { name: 'auto', trigger, actions, ...more })
  if (status !== 201) throw new Error(`the automation was refused: ${JSON.stringify(body)}`)
  return body.id
}

let sentCount = 0

/** Sends an event and tells its id. It occurs now unless it says otherwise. */
export async function sendEvent(app: TestApp, event: string, more: Json = {}): Promise<string> {
  sentCount += 1
  const id = (more.id as string | undefined) ?? uuid(1_000_000 + sentCount)
  const occurred = app.clock.now() / 1_000_000
  const { status, body } = await app.call('POST', '/events', [{ occurred, event, resource: { 'prefect.resource.id': 'thing' }, id, ...more }])
  if (status !== 204) throw new Error(`the event was refused: ${JSON.stringify(body)}`)
  return id
}

/** Lets the services run until there is nothing left to do. */
export async function runUntilIdle(app: { readonly context: ServerContext }): Promise<Record<string, number>> {
  const total: Record<string, number> = { fired: 0, executed: 0, failed: 0, lost: 0 }
  for (;;) {
    let done = 0
    for (const service of [triggerEvaluator, automationActions, automationOutboundActions]) {
      for (const [name, count] of Object.entries(await service.runOnce(app.context, signal))) {
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
  // biome-ignore lint/suspicious/noExplicitAny: what a payload holds is what the test is about
  readonly payload: any
  readonly id: string
  readonly follows: string | null
}

/** What an automation said when it acted, in the order of the log. */
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

/** The ids of the events that made an automation fire; null where it fired without one. */
export const readTriggeringEventIds = async (app: TestApp, id: string): Promise<(string | null)[]> =>
  (await readAutomationEvents(app, id, 'triggered')).map(({ payload }) => payload.triggering_event?.id ?? null)

/** Another server on the same database: it shares nothing but the data. */
export const createReplica = (app: TestApp): { readonly context: ServerContext } => ({ context: { ...app.context } })

/** A flow, a pool with its queue, and a deployment in it. */
export async function seedDeployment(app: TestApp, more: object = {}) {
  const flow: string = (await app.call('POST', '/flows/', { name: 'flow' })).body.id
  const { id: pool, default_queue_id: queue } = (await app.call('POST', '/work_pools/', { name: 'mill', type: 'process' })).body
  const deployment: string = (
    await app.call('POST', '/deployments/', { name: 'dep', flow_id: flow, work_pool_name: 'mill', parameters: { kept: 1 }, ...more })
  ).body.id
  return { flow, pool, queue, deployment }
}

/** A run in a state, told by an event that names it. */
export async function createRunInState(app: TestApp, type: string, more: object = {}) {
  const flow = (await app.call('POST', '/flows/', { name: 'flow' })).body.id
  const run: string = (await app.call('POST', '/flow_runs/', { flow_id: flow, state: { type }, ...more })).body.id
  const state = async () => (await app.call('GET', `/flow_runs/${run}`)).body.state
  return { run, state, event: { resource: { 'prefect.resource.id': `prefect.flow-run.${run}` } } }
}

/** What came of the first action that an automation took. */
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

/** Lets the triggers be asked, but no action be taken. */
export const evaluateTriggers = (app: TestApp) => triggerEvaluator.runOnce(app.context, signal)
