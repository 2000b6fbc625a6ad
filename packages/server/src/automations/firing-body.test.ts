import { expect, test } from 'vitest'
import {
  createAutomation,
  evaluateTriggers,
  reactiveTrigger,
  readActionResult,
  readAutomationEvents,
  runUntilIdle,
  seedDeployment,
  sendEvent,
} from '../../test/automations.ts'
import { eachDialect, type TestApp } from '../../test/setup.ts'

const readFiringBodies = async (app: TestApp): Promise<string[]> =>
  (await app.context.reads.kysely.selectFrom('automation_firing').select('body').execute()).map(({ body }) => body)
const removeEvents = (app: TestApp, name: string) =>
  app.context.commands.submit((tx) => tx.kysely.deleteFrom('event').where('event', '=', name).execute())

eachDialect('a firing body', (setup) => {
  test('is small for a large event', async () => {
    const app = await setup()
    await createAutomation(app, reactiveTrigger('go'), undefined, { description: 'x'.repeat(5000) })
    await createAutomation(app, { type: 'sequence', within: 60, triggers: [reactiveTrigger('before'), reactiveTrigger('go')] })
    await createAutomation(app, reactiveTrigger('never', { posture: 'Proactive', after: ['go'], within: 60 }))
    const payload = { note: 'y'.repeat(20_000) }
    await sendEvent(app, 'before', { payload })
    await sendEvent(app, 'go', { payload })
    await evaluateTriggers(app)
    const kept = await readFiringBodies(app)
    expect(kept).toHaveLength(2)
    for (const body of kept) expect(body.length).toBeLessThan(2000)
    const [bucket] = await app.context.reads.kysely.selectFrom('automation_bucket').select('last_event').where('proactive', '=', true).execute()
    expect(bucket?.last_event?.length).toBeLessThan(100)
  })

  test('gives templates the full event and all events of a sequence', async () => {
    const app = await setup()
    const { deployment } = await seedDeployment(app)
    const parameters = { n: '{{ event.payload.n }}', all: '{{ events | map(attribute="event") | join(" ") }}', name: '{{ automation.name }}' }
    await createAutomation(
      app,
      { type: 'sequence', within: 60, triggers: [reactiveTrigger('before'), reactiveTrigger('go')] },
      [{ type: 'run-deployment', source: 'selected', deployment_id: deployment, parameters }],
      { name: 'in order' },
    )
    await sendEvent(app, 'before')
    await sendEvent(app, 'go', { payload: { n: 7 } })
    expect(await runUntilIdle(app)).toMatchObject({ executed: 1 })
    const [run] = (await app.call('POST', '/flow_runs/filter', {})).body
    expect(run.parameters).toMatchObject({ n: 7, all: 'go before go', name: 'in order' })
  })

  test('reports when retention removed the event before the action ran', async () => {
    const app = await setup()
    const id = await createAutomation(app, reactiveTrigger('go'), [{ type: 'pause-deployment', source: 'inferred' }, { type: 'do-nothing' }])
    const event = await sendEvent(app, 'go', { resource: { 'prefect.resource.id': 'prefect.deployment.x' } })
    await evaluateTriggers(app)
    await removeEvents(app, 'go')
    expect(await runUntilIdle(app)).toMatchObject({ executed: 1, failed: 1 })
    const missing = `Event ${event} was removed by retention before the action ran`
    expect(await readActionResult(app, id)).toMatchObject({ outcome: 'failed', reason: missing })
    const [executed] = await readAutomationEvents(app, id, 'action.executed')
    expect(executed?.payload).toMatchObject({ action_type: 'do-nothing', event_missing: missing })
    expect(executed?.related).toContainEqual({ 'prefect.resource.id': `prefect.event.${event}`, 'prefect.resource.role': 'triggering-event' })
  })

  test('reads bodies of older servers with copies of the events', async () => {
    const app = await setup()
    const id = await createAutomation(app, reactiveTrigger('go'), [
      { type: 'run-deployment', source: 'inferred', parameters: { n: '{{ event.payload.n }}' } },
    ])
    const { deployment } = await seedDeployment(app)
    await sendEvent(app, 'go', { payload: { n: 7 }, resource: { 'prefect.resource.id': `prefect.deployment.${deployment}` } })
    await evaluateTriggers(app)
    const [triggered] = await readAutomationEvents(app, id, 'triggered')
    const [body] = (await readFiringBodies(app)).map((text) => JSON.parse(text))
    const automation = (await app.call('GET', `/automations/${id}`)).body
    const whole = { ...triggered, occurred: '2030-01-01T00:00:00Z' }
    const old = { automation, firing: { ...body.firing, triggering_event: triggered?.payload.triggering_event }, triggered: whole, depth: 1 }
    await app.context.commands.submit((tx) =>
      tx.kysely
        .updateTable('automation_firing')
        .set({ body: JSON.stringify(old) })
        .execute(),
    )
    await removeEvents(app, 'go')
    expect(await runUntilIdle(app)).toMatchObject({ executed: 1, failed: 0 })
    expect((await app.call('POST', '/flow_runs/filter', {})).body[0].parameters).toMatchObject({ n: 7 })
  })

  test('survives the deletion of the automation', async () => {
    const app = await setup()
    const { deployment } = await seedDeployment(app)
    const parameters = { name: '{{ automation.name }}', event: '{{ event.event }}' }
    const id = await createAutomation(app, reactiveTrigger('go'), [
      { type: 'run-deployment', source: 'selected', deployment_id: deployment, parameters },
    ])
    await sendEvent(app, 'go')
    await evaluateTriggers(app)
    await app.call('DELETE', `/automations/${id}`)
    expect(await runUntilIdle(app)).toMatchObject({ executed: 1 })
    expect((await app.call('POST', '/flow_runs/filter', {})).body[0].parameters).toMatchObject({ name: 'auto', event: 'go' })
  })
})
