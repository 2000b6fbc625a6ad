import { expect, test } from 'vitest'
import { automate, deployed, firedBy, react, replica, runIn, send, settle, settleTriggers } from '../../test/automations.ts'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { readEventsAfter } from '../events/cursor.ts'
import { automationActions } from '../services/automation-actions.ts'

const { signal } = new AbortController()
const newest = async (app: TestApp, name: string) =>
  (await readEventsAfter(app.context.reads, 0, 1000)).filter(({ event }) => event === name).at(-1)?.id

eachDialect('a chain of automations', (setup) => {
  test('does not come back through the states that its actions set', async () => {
    const app = await setup()
    const { run, event } = await runIn(app, 'RUNNING')
    const match = { 'prefect.resource.id': `prefect.flow-run.${run}` }
    const change = (state: string) => [{ type: 'change-flow-run-state', state, force: true }]
    const trigger = { type: 'event', posture: 'Reactive', expect: ['go', 'prefect.flow-run.*'], match }
    const one = await automate(app, trigger, change('FAILED'))
    const two = await automate(app, trigger, change('COMPLETED'))
    await send(app, 'go', event)
    await settle(app)
    // Each answers the event, and the state that the other has set; neither its own, nor what came of it.
    expect(await firedBy(app, one)).toHaveLength(2)
    expect(await firedBy(app, two)).toHaveLength(2)
  })

  test('is remembered when another server evaluates what an action caused', async () => {
    const app = await setup()
    const { pool } = await deployed(app)
    const expect_ = ['go', 'prefect.work-pool.*']
    const pause = await automate(app, { type: 'event', posture: 'Reactive', expect: expect_ }, [
      { type: 'pause-work-pool', source: 'selected', work_pool_id: pool },
    ])
    const resume = await automate(app, { type: 'event', posture: 'Reactive', expect: expect_ }, [
      { type: 'resume-work-pool', source: 'selected', work_pool_id: pool },
    ])
    await send(app, 'go')
    for (let n = 0; n < 10; n += 1) {
      await settleTriggers(replica(app) as TestApp)
      await automationActions.runOnce(replica(app).context, signal)
    }
    expect(await settle(app)).toMatchObject({ fired: 0, executed: 0 })
    expect((await firedBy(app, pause)).length + (await firedBy(app, resume)).length).toBeLessThan(8)
  })

  test('goes along with the flow runs that it creates, in all of their states', async () => {
    const app = await setup()
    const { deployment } = await deployed(app)
    const trigger = (...names: string[]) => ({ type: 'event', posture: 'Reactive', expect: names })
    const runs = [{ type: 'run-deployment', source: 'selected', deployment_id: deployment }]
    const one = await automate(app, trigger('go', 'prefect.flow-run.Completed'), runs)
    const two = await automate(app, trigger('prefect.flow-run.Completed'), runs)
    const finish = async () => {
      const open = (await app.call('POST', '/flow_runs/filter', { flow_runs: { state: { type: { any_: ['SCHEDULED'] } } } })).body
      for (const { id } of open) await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'COMPLETED' }, force: true })
      await settle(app)
      return open.length
    }
    await send(app, 'go')
    await settle(app)
    // The run of the first is answered by the second alone, and the run of that by neither.
    expect([await finish(), await finish(), await finish()]).toEqual([1, 1, 0])
    expect(await firedBy(app, one)).toHaveLength(1)
    expect(await firedBy(app, two)).toHaveLength(1)
    expect((await app.call('GET', `/automations/${one}/status`)).body.reason).toContain('a chain does not come back')
  })

  test('is over with an event that somebody else caused', async () => {
    const app = await setup()
    const { run } = await runIn(app, 'PENDING')
    const id = await automate(app, react('prefect.flow-run.Running'))
    await app.call('POST', `/flow_runs/${run}/set_state`, { state: { type: 'RUNNING' }, force: true })
    await settle(app)
    expect(await firedBy(app, id)).toEqual([await newest(app, 'prefect.flow-run.Running')])
  })
})
