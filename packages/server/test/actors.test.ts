import { expect, test } from 'vitest'
import { parseJson } from '../src/lib/json.ts'
import { changeRun } from '../src/runs/batch.ts'
import { lateRuns } from '../src/services/late-runs.ts'
import { scheduler } from '../src/services/scheduler.ts'
import { taskRunReconciler } from '../src/services/task-run-reconciler.ts'
import { createAutomation, createRunInState, reactiveTrigger, runUntilIdle, seedDeployment } from './automations.ts'
import { eachDialect, runService, type Setup, type TestApp } from './setup.ts'
import { connect } from './socket-client.ts'
import { newId, start, stateEvent } from './task-run-events.ts'

const password = 'miller:grist'
const env = { MILLRACE_SERVER_API_AUTH_STRING: password }
const headers = { authorization: `Basic ${Buffer.from(password).toString('base64')}` }
const miller = 'user::miller'

/** A server with a password, and a client that knows it. */
async function openApp(setup: Setup): Promise<TestApp> {
  const app = await setup({ env })
  return { ...app, call: (method, url, body, more) => app.call(method, url, body, { ...headers, ...more }) }
}

const actorsOf = async (app: TestApp, table: 'flow_run_state' | 'task_run_state', run: string): Promise<(string | null)[]> =>
  (
    await app.context.reads.kysely
      .selectFrom(table)
      .select(['name', 'actor'])
      .where(table === 'flow_run_state' ? ('flow_run_id' as never) : ('task_run_id' as never), '=', run as never)
      .orderBy('timestamp')
      .orderBy('id')
      .execute()
  ).map(({ name, actor }) => `${name} ${actor}`)

/** The actors that the events of a name have, oldest first. */
async function shownActors(app: TestApp, name: string): Promise<(string | undefined)[]> {
  const rows = await app.context.reads.kysely.selectFrom('event').select('related').where('event', '=', name).orderBy('position').execute()
  return rows.map(({ related }) => {
    const actors = (parseJson(related) as Record<string, string>[]).filter((one) => one['prefect.resource.role'] === 'actor')
    expect(actors.length).toBeLessThan(2)
    return actors[0]?.['prefect.resource.id']
  })
}

eachDialect('the actor of a command', (setup) => {
  test('is the user of the password, on states, their events and other events', async () => {
    const app = await openApp(setup)
    const { run } = await createRunInState(app, 'PENDING')
    await app.call('POST', `/flow_runs/${run}/set_state`, { state: { type: 'RUNNING' } })
    await app.call('POST', '/flow_runs/bulk_set_state', { flow_runs: { id: { any_: [run] } }, state: { type: 'COMPLETED' } })
    await app.call('POST', '/variables/', { name: 'v', value: 1 })
    expect(await actorsOf(app, 'flow_run_state', run)).toEqual([`Pending ${miller}`, `Running ${miller}`, `Completed ${miller}`])
    for (const name of ['prefect.flow-run.Pending', 'prefect.flow-run.Running', 'prefect.flow-run.Completed', 'prefect.variable.created'])
      expect([name, await shownActors(app, name)]).toEqual([name, ['millrace.user.miller']])
  })

  test('is neither stored nor shown without a password', async () => {
    const app = await setup()
    const { run } = await createRunInState(app, 'PENDING')
    expect(await actorsOf(app, 'flow_run_state', run)).toEqual(['Pending null'])
    expect(await shownActors(app, 'prefect.flow-run.Pending')).toEqual([undefined])
  })

  test('is the client that reports task runs, whose events stay as they were sent', async () => {
    const app = await openApp(setup)
    const [byRequest, bySocket] = [newId(), newId()]
    const socket = await connect(app, '/api/events/in', { token: password })
    socket.send(stateEvent({ id: bySocket, flowRun: null, key: 'socket' }, 'RUNNING', start))
    await socket.ping()
    await app.call('POST', '/events', [stateEvent({ id: byRequest, flowRun: null, key: 'request' }, 'RUNNING', start)])
    expect(await actorsOf(app, 'task_run_state', bySocket)).toEqual([`Running ${miller}`])
    expect(await actorsOf(app, 'task_run_state', byRequest)).toEqual([`Running ${miller}`])
    expect(await shownActors(app, 'prefect.task-run.Running')).toEqual([undefined, undefined])
    socket.close()
  })

  test('is the process that reports a run in one request', async () => {
    const app = await openApp(setup)
    const { run } = await createRunInState(app, 'PENDING')
    const state = { kind: 'state', id: newId(), number: 1, flow_run_id: run, attempt: null, state: { type: 'RUNNING' } }
    const { body } = await app.call('POST', '/runs/report', { records: [state] })
    expect(body).toMatchObject({ answers: [{ number: 1, status: 'accepted' }] })
    expect((await actorsOf(app, 'flow_run_state', run)).at(-1)).toBe(`Running ${miller}`)
    expect(await shownActors(app, 'prefect.flow-run.Running')).toEqual(['millrace.user.miller'])
  })

  test('is the service, which events do not show', async () => {
    const app = await openApp(setup)
    const { flow, deployment } = await seedDeployment(app)
    const late = { type: 'SCHEDULED', state_details: { scheduled_time: '2029-12-31T00:00:00Z' } }
    const { id } = (await app.call('POST', '/flow_runs/', { flow_id: flow, state: late })).body
    await runService(app, lateRuns)
    expect((await actorsOf(app, 'flow_run_state', id)).at(-1)).toBe('Late service::late-runs')
    expect(await shownActors(app, 'prefect.flow-run.Late')).toEqual([undefined])

    await app.call('POST', `/deployments/${deployment}/schedules`, [{ schedule: { interval: 3600 }, active: true }])
    await runService(app, scheduler)
    const planned = (await app.call('POST', '/flow_runs/filter', { deployments: { id: { any_: [deployment] } } })).body
    expect(planned.length).toBeGreaterThan(0)
    expect(await actorsOf(app, 'flow_run_state', planned[0].id)).toEqual(['Scheduled service::scheduler'])

    const ended = newId()
    const { run } = await createRunInState(app, 'RUNNING')
    await app.call('POST', '/events', [stateEvent({ id: ended, flowRun: run, key: 'k' }, 'RUNNING', start)])
    await app.call('POST', `/flow_runs/${run}/set_state`, { state: { type: 'COMPLETED' }, force: true })
    app.clock.advance(3600)
    await runService(app, taskRunReconciler)
    expect((await actorsOf(app, 'task_run_state', ended)).at(-1)).toBe(`Crashed service::${taskRunReconciler.name}`)
  })

  test('is the automation whose action changes a run', async () => {
    const app = await openApp(setup)
    const { run } = await createRunInState(app, 'RUNNING')
    const { deployment } = await seedDeployment(app)
    const id = await createAutomation(app, reactiveTrigger('go'), [
      { type: 'cancel-flow-run' },
      { type: 'run-deployment', source: 'selected', deployment_id: deployment },
    ])
    await app.call('POST', '/events', [
      { id: newId(), occurred: '2030-01-01T00:00:01Z', event: 'go', resource: { 'prefect.resource.id': `prefect.flow-run.${run}` } },
    ])
    await runUntilIdle(app)
    expect((await actorsOf(app, 'flow_run_state', run)).at(-1)).toBe(`Cancelling automation:${id}:auto`)
    const [created] = (await app.call('POST', '/flow_runs/filter', { deployments: { id: { any_: [deployment] } } })).body
    expect(await actorsOf(app, 'flow_run_state', created.id)).toEqual([`Scheduled automation:${id}:auto`])
  })

  test('is kept with an automation, and follows who saves it', async () => {
    const app = await openApp(setup)
    const trigger = reactiveTrigger('go')
    const automation = await createAutomation(app, trigger)
    const saved = async () =>
      (await app.context.reads.kysely.selectFrom('automation_actor').select('actor').where('automation_id', '=', automation).execute()).map(
        ({ actor }) => actor,
      )
    expect(await saved()).toEqual([miller])
    await app.context.commands.submit((tx) => tx.update('automation_actor', [{ automation_id: automation, actor: null }], { key: 'automation_id' }))
    await app.call('PUT', `/automations/${automation}`, { name: 'auto', trigger, actions: [{ type: 'do-nothing' }] })
    expect(await saved()).toEqual([miller])
    await app.call('DELETE', `/automations/${automation}`)
    expect(await saved()).toEqual([])
  })

  test('is that of each command, also of commands that share a batch', async () => {
    const app = await openApp(setup)
    const runs = await Promise.all(['PENDING', 'PENDING', 'PENDING'].map(async (type) => (await createRunInState(app, type)).run))
    const actors = ['ann', 'ben', null].map((name) =>
      name === null ? ({ kind: 'anonymous', id: null, name: '' } as const) : ({ kind: 'service_account', id: `id-${name}`, name } as const),
    )
    await Promise.all(
      runs.map((id, index) =>
        changeRun(app.context, { kind: 'propose_flow_run', actor: actors[index] as (typeof actors)[number], id, state: { type: 'RUNNING' } }),
      ),
    )
    const last = await Promise.all(runs.map(async (run) => (await actorsOf(app, 'flow_run_state', run)).at(-1)))
    expect(last).toEqual(['Running service_account:id-ann:ann', 'Running service_account:id-ben:ben', 'Running null'])
    expect((await shownActors(app, 'prefect.flow-run.Running')).sort()).toEqual([
      'millrace.service-account.id-ann',
      'millrace.service-account.id-ben',
      undefined,
    ])
  })
})
