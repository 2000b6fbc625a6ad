import { expect, test } from 'vitest'
import {
  createAutomation,
  createReplica,
  createRunInState,
  evaluateTriggers,
  reactiveTrigger,
  readTriggeringEventIds,
  runUntilIdle,
  seedDeployment,
  sendEvent,
} from '../../test/automations.ts'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { readEventsAfter } from '../events/cursor.ts'
import { automationActions } from '../services/automations.ts'

const { signal } = new AbortController()
const newest = async (app: TestApp, name: string) =>
  (await readEventsAfter(app.context.reads, 0, 1000)).filter(({ event }) => event === name).at(-1)?.id

eachDialect('a chain of automations', (setup) => {
  test('does not trigger an automation twice through states that its actions set', async () => {
    const app = await setup()
    const { run, event } = await createRunInState(app, 'RUNNING')
    const match = { 'prefect.resource.id': `prefect.flow-run.${run}` }
    const change = (state: string) => [{ type: 'change-flow-run-state', state, force: true }]
    const trigger = { type: 'event', posture: 'Reactive', expect: ['go', 'prefect.flow-run.*'], match }
    const one = await createAutomation(app, trigger, change('FAILED'))
    const two = await createAutomation(app, trigger, change('COMPLETED'))
    await sendEvent(app, 'go', event)
    await runUntilIdle(app)
    // Each answers the event, and the state that the other has set; neither its own, nor what came of it.
    expect(await readTriggeringEventIds(app, one)).toHaveLength(2)
    expect(await readTriggeringEventIds(app, two)).toHaveLength(2)
  })

  test('is kept when another server evaluates the events of an action', async () => {
    const app = await setup()
    const { pool } = await seedDeployment(app)
    const expect_ = ['go', 'prefect.work-pool.*']
    const pause = await createAutomation(app, { type: 'event', posture: 'Reactive', expect: expect_ }, [
      { type: 'pause-work-pool', source: 'selected', work_pool_id: pool },
    ])
    const resume = await createAutomation(app, { type: 'event', posture: 'Reactive', expect: expect_ }, [
      { type: 'resume-work-pool', source: 'selected', work_pool_id: pool },
    ])
    await sendEvent(app, 'go')
    for (let n = 0; n < 10; n += 1) {
      await evaluateTriggers(createReplica(app) as TestApp)
      await automationActions.runOnce(createReplica(app).context, signal)
    }
    expect(await runUntilIdle(app)).toMatchObject({ fired: 0, executed: 0 })
    expect((await readTriggeringEventIds(app, pause)).length + (await readTriggeringEventIds(app, resume)).length).toBeLessThan(8)
  })

  test('covers all states of the flow runs that an action creates', async () => {
    const app = await setup()
    const { deployment } = await seedDeployment(app)
    const trigger = (...names: string[]) => ({ type: 'event', posture: 'Reactive', expect: names })
    const runs = [{ type: 'run-deployment', source: 'selected', deployment_id: deployment }]
    const one = await createAutomation(app, trigger('go', 'prefect.flow-run.Completed'), runs)
    const two = await createAutomation(app, trigger('prefect.flow-run.Completed'), runs)
    const finish = async () => {
      const open = (await app.call('POST', '/flow_runs/filter', { flow_runs: { state: { type: { any_: ['SCHEDULED'] } } } })).body
      for (const { id } of open) await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'COMPLETED' }, force: true })
      await runUntilIdle(app)
      return open.length
    }
    await sendEvent(app, 'go')
    await runUntilIdle(app)
    // The run of the first is answered by the second alone, and the run of that by neither.
    expect([await finish(), await finish(), await finish()]).toEqual([1, 1, 0])
    expect(await readTriggeringEventIds(app, one)).toHaveLength(1)
    expect(await readTriggeringEventIds(app, two)).toHaveLength(1)
    expect((await app.call('GET', `/automations/${one}/status`)).body.reason).toContain('caused by this automation or by one it triggered')
  })

  test('ends with an event that no automation caused', async () => {
    const app = await setup()
    const { run } = await createRunInState(app, 'PENDING')
    const id = await createAutomation(app, reactiveTrigger('prefect.flow-run.Running'))
    await app.call('POST', `/flow_runs/${run}/set_state`, { state: { type: 'RUNNING' }, force: true })
    await runUntilIdle(app)
    expect(await readTriggeringEventIds(app, id)).toEqual([await newest(app, 'prefect.flow-run.Running')])
  })
})
