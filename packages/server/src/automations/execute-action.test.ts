import { expect, test } from 'vitest'
import {
  createAutomation,
  createReplica,
  createRunInState,
  evaluateTriggers,
  reactiveTrigger,
  readActionResult,
  readAutomationEvents,
  runUntilIdle,
  seedDeployment,
  sendEvent,
  uuid,
} from '../../test/automations.ts'
import { eachDialect } from '../../test/setup.ts'
import { readQueuedActions } from './action-queue.ts'
import { executeAction } from './execute-action.ts'

eachDialect('pause and resume actions', (setup) => {
  test('change deployments, pools and queues, selected or inferred', async () => {
    const app = await setup()
    const { deployment, pool, queue } = await seedDeployment(app)
    const off = await createAutomation(app, reactiveTrigger('off'), [
      { type: 'pause-deployment', source: 'selected', deployment_id: deployment },
      { type: 'pause-work-pool', source: 'selected', work_pool_id: pool },
      { type: 'pause-work-queue', source: 'selected', work_queue_id: queue },
    ])
    const on = await createAutomation(app, reactiveTrigger('on'), [
      { type: 'resume-deployment', source: 'inferred' },
      { type: 'resume-work-pool', source: 'inferred' },
      { type: 'resume-work-queue', source: 'inferred' },
    ])
    const paused = async () => [
      (await app.call('GET', `/deployments/${deployment}`)).body.paused,
      (await app.call('GET', '/work_pools/mill')).body.is_paused,
      (await app.call('GET', `/work_queues/${queue}`)).body.is_paused,
    ]
    await sendEvent(app, 'off')
    expect(await runUntilIdle(app)).toMatchObject({ executed: 3, failed: 0 })
    expect(await paused()).toEqual([true, true, true])
    expect((await readAutomationEvents(app, off, 'action.executed')).map(({ payload }) => [payload.action_index, payload.status_code])).toEqual([
      [0, 200],
      [1, 204],
      [2, 204],
    ])
    await sendEvent(app, 'on', {
      resource: { 'prefect.resource.id': `prefect.deployment.${deployment}` },
      related: [
        { 'prefect.resource.id': `prefect.work-pool.${pool}`, 'prefect.resource.role': 'work-pool' },
        { 'prefect.resource.id': `prefect.work-queue.${queue}`, 'prefect.resource.role': 'work-queue' },
      ],
    })
    expect(await runUntilIdle(app)).toMatchObject({ executed: 3, failed: 0 })
    expect(await paused()).toEqual([false, false, false])
    expect((await readAutomationEvents(app, on, 'action.executed'))[1]?.related[0]).toEqual({
      'prefect.resource.id': `prefect.work-pool.${pool}`,
      'prefect.resource.role': 'target',
      'prefect.resource.name': 'mill',
    })
  })

  test('change automations, including their own', async () => {
    const app = await setup()
    const other = await createAutomation(app, reactiveTrigger('x'))
    const id = await createAutomation(app, reactiveTrigger('sleep'), [
      { type: 'pause-automation', source: 'selected', automation_id: other },
      { type: 'pause-automation', source: 'inferred' },
    ])
    await sendEvent(app, 'sleep', { resource: { 'prefect.resource.id': `prefect.automation.${id}` } })
    expect(await runUntilIdle(app)).toMatchObject({ executed: 2 })
    expect((await app.call('GET', `/automations/${other}`)).body.enabled).toBe(false)
    expect((await app.call('GET', `/automations/${id}`)).body.enabled).toBe(false)
    await createAutomation(app, reactiveTrigger('wake'), [{ type: 'resume-automation', source: 'selected', automation_id: other }])
    await sendEvent(app, 'wake')
    await runUntilIdle(app)
    expect((await app.call('GET', `/automations/${other}`)).body.enabled).toBe(true)
    const updatesBefore = (await app.eventNames()).filter((event) => event === 'prefect.automation.updated').length
    await sendEvent(app, 'wake')
    expect(await runUntilIdle(app)).toMatchObject({ executed: 1 })
    expect((await app.eventNames()).filter((event) => event === 'prefect.automation.updated').length).toBe(updatesBefore)
  })

  test('fail without a target', async () => {
    const app = await setup()
    const kinds = ['deployment', 'work-pool', 'work-queue', 'automation']
    const inferred = await createAutomation(
      app,
      reactiveTrigger('a'),
      kinds.map((kind) => ({ type: `pause-${kind}`, source: 'inferred' })),
    )
    const nobody = await createAutomation(
      app,
      reactiveTrigger('b'),
      kinds.map((kind) => ({ type: `resume-${kind}`, source: 'selected', [`${kind.replace('-', '_')}_id`]: uuid(1) })),
    )
    await sendEvent(app, 'a')
    await sendEvent(app, 'b')
    expect(await runUntilIdle(app)).toMatchObject({ executed: 0, failed: 8 })
    expect((await readAutomationEvents(app, inferred, 'action.failed')).map(({ payload }) => payload.reason)).toEqual([
      'The event names no deployment. Select a deployment in the action.',
      'The event names no work pool. Select a work pool in the action.',
      'The event names no work queue. Select a work queue in the action.',
      'The event names no automation. Select a automation in the action.',
    ])
    expect((await readAutomationEvents(app, nobody, 'action.failed')).map(({ payload }) => payload.status_code)).toEqual([404, undefined, 404, 404])
  })
})

eachDialect('flow run actions', (setup) => {
  test('cancels', async () => {
    const app = await setup()
    const { event, state } = await createRunInState(app, 'RUNNING')
    const id = await createAutomation(app, reactiveTrigger('go'), [{ type: 'cancel-flow-run' }])
    await sendEvent(app, 'go', event)
    await runUntilIdle(app)
    expect(await state()).toMatchObject({ type: 'CANCELLING', message: 'Cancelled by the automation "auto"' })
    expect(await readActionResult(app, id)).toMatchObject({
      outcome: 'executed',
      status_code: 201,
      targets: [{ 'prefect.resource.id': event.resource['prefect.resource.id'] }],
    })
  })

  test('keeps a state that a rule put in place although the action failed', async () => {
    const app = await setup()
    const { event, state } = await createRunInState(app, 'SCHEDULED')
    const id = await createAutomation(app, reactiveTrigger('go'), [{ type: 'cancel-flow-run' }])
    await sendEvent(app, 'go', event)
    await runUntilIdle(app)
    expect((await state()).type).toBe('CANCELLED')
    expect(await readActionResult(app, id)).toMatchObject({ outcome: 'failed', status_code: 201 })
  })

  test('changes the state, also with force', async () => {
    const app = await setup()
    const { event, state } = await createRunInState(app, 'COMPLETED', {})
    const plain = await createAutomation(app, reactiveTrigger('plain'), [
      { type: 'change-flow-run-state', state: 'CRASHED', name: 'Judged', message: 'no good' },
    ])
    const forced = await createAutomation(app, reactiveTrigger('forced'), [
      { type: 'change-flow-run-state', state: 'CRASHED', name: 'Judged', message: 'no good', force: true },
    ])
    await sendEvent(app, 'plain', event)
    await runUntilIdle(app)
    expect((await state()).type).toBe('COMPLETED')
    expect(await readActionResult(app, plain)).toMatchObject({ outcome: 'failed', status_code: 200 })
    await sendEvent(app, 'forced', event)
    await runUntilIdle(app)
    expect(await state()).toMatchObject({ type: 'CRASHED', name: 'Judged', message: 'no good' })
    expect(await readActionResult(app, forced)).toMatchObject({ outcome: 'executed' })
  })

  test('suspends for an hour, and resumes', async () => {
    const app = await setup()
    const { deployment } = await seedDeployment(app)
    const run = (await app.call('POST', `/deployments/${deployment}/create_flow_run`, { state: { type: 'SCHEDULED' } })).body.id
    await app.call('POST', `/flow_runs/${run}/set_state`, { state: { type: 'RUNNING' }, force: true })
    const event = { resource: { 'prefect.resource.id': `prefect.flow-run.${run}` } }
    await createAutomation(app, reactiveTrigger('wait'), [{ type: 'suspend-flow-run' }])
    await createAutomation(app, reactiveTrigger('go'), [{ type: 'resume-flow-run' }])
    await sendEvent(app, 'wait', event)
    expect(await runUntilIdle(app)).toMatchObject({ executed: 1 })
    expect((await app.call('GET', `/flow_runs/${run}`)).body.state).toMatchObject({
      type: 'PAUSED',
      name: 'Suspended',
      state_details: { pause_reschedule: true, pause_timeout: expect.stringContaining('2030-01-01T01:00:00') },
    })
    await sendEvent(app, 'go', event)
    expect(await runUntilIdle(app)).toMatchObject({ executed: 1 })
    expect((await app.call('GET', `/flow_runs/${run}`)).body.state).toMatchObject({ type: 'SCHEDULED', name: 'Resuming' })
    await sendEvent(app, 'go', event)
    expect(await runUntilIdle(app)).toMatchObject({ failed: 1 })
  })

  test('deletes', async () => {
    const app = await setup()
    const { event, run } = await createRunInState(app, 'COMPLETED')
    const id = await createAutomation(app, reactiveTrigger('go'), [{ type: 'delete-flow-run' }, { type: 'delete-flow-run' }])
    await sendEvent(app, 'go', event)
    await runUntilIdle(app)
    expect((await app.call('GET', `/flow_runs/${run}`)).status).toBe(404)
    expect((await readAutomationEvents(app, id, 'action.executed', 'action.failed')).map(({ payload }) => payload.status_code)).toEqual([204, 404])
  })

  test('finds the run by the for_each label of the trigger', async () => {
    const app = await setup()
    const { run, state } = await createRunInState(app, 'RUNNING')
    await createAutomation(app, reactiveTrigger('beat', { posture: 'Proactive', within: 10, after: ['beat'], for_each: ['prefect.resource.id'] }), [
      { type: 'change-flow-run-state', state: 'CRASHED' },
    ])
    await sendEvent(app, 'beat', { resource: { 'prefect.resource.id': `prefect.flow-run.${run}` } })
    await runUntilIdle(app)
    app.clock.advance(11)
    await runUntilIdle(app)
    expect(await state()).toMatchObject({ type: 'CRASHED', message: 'State changed by the automation "auto"' })
  })

  test('fails without a run', async () => {
    const app = await setup()
    const id = await createAutomation(
      app,
      reactiveTrigger('go'),
      ['cancel', 'suspend', 'resume', 'delete'].map((verb) => ({ type: `${verb}-flow-run` })),
    )
    await sendEvent(app, 'go', { resource: { 'prefect.resource.id': 'prefect.flow-run.not-an-id' } })
    expect(await runUntilIdle(app)).toMatchObject({ failed: 4 })
    expect(
      (await readAutomationEvents(app, id, 'action.failed')).every(
        ({ payload, related }) => payload.reason.includes('flow run') && related.length === 2,
      ),
    ).toBe(true)
  })
})

eachDialect('an action', (setup) => {
  test('runs once with several servers', async () => {
    const app = await setup()
    const { deployment } = await seedDeployment(app)
    const id = await createAutomation(app, reactiveTrigger('go'), [
      { type: 'run-deployment', source: 'selected', deployment_id: deployment },
      { type: 'do-nothing' },
    ])
    await sendEvent(app, 'go')
    await evaluateTriggers(app)
    const rows = await readQueuedActions(app.context.reads, false, uuid(0), 10)
    expect(rows.length).toBe(2)
    const servers = [app, createReplica(app), createReplica(app), createReplica(app)]
    const outcomes = (await Promise.all(servers.flatMap(({ context }) => rows.map((row) => executeAction(context, row))))).sort()
    expect(outcomes).toEqual(['executed', 'executed', 'gone', 'gone', 'gone', 'gone', 'gone', 'gone'])
    expect((await readAutomationEvents(app, id, 'action.executed')).length).toBe(2)
    expect((await app.call('POST', '/flow_runs/count', { deployments: { id: { any_: [deployment] } } })).body).toBe(1)
    expect(await app.context.reads.kysely.selectFrom('automation_firing').selectAll().execute()).toEqual([])
  })

  test('is retried after an error and fails after the last attempt', async () => {
    const app = await setup()
    const id = await createAutomation(app, reactiveTrigger('go'))
    await sendEvent(app, 'go')
    await evaluateTriggers(app)
    const newId = () => {
      throw new Error('no ids today')
    }
    const broken = { ...app.context, newId }
    for (let n = 0; n < 5; n += 1) {
      const [row] = await readQueuedActions(app.context.reads, false, uuid(0), 1)
      expect(row?.attempts).toBe(n)
      if (row) await executeAction(broken, row).catch(() => undefined)
    }
    // Without ids the failure itself cannot be recorded; the next server records it.
    expect(await runUntilIdle(app)).toMatchObject({ executed: 1 })
    expect((await readAutomationEvents(app, id, 'action.executed')).length).toBe(1)
  })
})
