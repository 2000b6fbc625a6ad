import { expect, test } from 'vitest'
import { createAutomation, createReplica, reactiveTrigger, readTriggeringEventIds, runUntilIdle, sendEvent, uuid } from '../../test/automations.ts'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { lateRuns } from '../services/late-runs.ts'
import { scheduler } from '../services/scheduler.ts'
import { evaluateStep } from './evaluate.ts'

const quarterHour = 15 * 60

const readHeldEvents = async (app: TestApp): Promise<string[]> =>
  (await app.context.reads.kysely.selectFrom('automation_early_event').select('event_id').orderBy('log_position').execute()).map(
    ({ event_id }) => event_id,
  )

const sequence = (...names: string[]) => ({ type: 'sequence', within: 60, triggers: names.map((name) => reactiveTrigger(name)) })

eachDialect('an event that arrives before its predecessor', (setup) => {
  test('is evaluated after its predecessor', async () => {
    const app = await setup()
    const id = await createAutomation(app, sequence('a', 'b'))
    const [first, second] = [uuid(1), uuid(2)]
    await sendEvent(app, 'b', { id: second, follows: first })
    expect(await runUntilIdle(app)).toMatchObject({ fired: 0 })
    expect(await readHeldEvents(app)).toEqual([second])
    await sendEvent(app, 'a', { id: first })
    expect(await runUntilIdle(app)).toMatchObject({ fired: 1 })
    expect(await readTriggeringEventIds(app, id)).toEqual([second])
    expect(await readHeldEvents(app)).toEqual([])
  })

  test('is reordered within one request and through several predecessors', async () => {
    const app = await setup()
    const id = await createAutomation(app, sequence('a', 'b', 'c', 'd'))
    const event = (n: number, name: string) => ({
      id: uuid(n),
      event: name,
      occurred: app.clock.now() / 1_000_000,
      resource: { 'prefect.resource.id': 'thing' },
      follows: n === 1 ? null : uuid(n - 1),
    })
    await app.call('POST', '/events', [event(4, 'd'), event(3, 'c')])
    await runUntilIdle(app)
    expect(await readHeldEvents(app)).toEqual([uuid(4), uuid(3)])
    await app.call('POST', '/events', [event(2, 'b'), event(1, 'a')])
    expect(await runUntilIdle(app)).toMatchObject({ fired: 1 })
    expect(await readTriggeringEventIds(app, id)).toEqual([uuid(4)])
    expect(await readHeldEvents(app)).toEqual([])
  })

  test('does not fire a proactive trigger that expects it', async () => {
    const app = await setup()
    await createAutomation(app, { type: 'event', posture: 'Proactive', after: ['begun'], expect: ['ended'], threshold: 1, within: 10 })
    await sendEvent(app, 'ended', { id: uuid(2), follows: uuid(1) })
    await runUntilIdle(app)
    await sendEvent(app, 'begun', { id: uuid(1), occurred: app.clock.now() / 1_000_000 - 1 })
    await runUntilIdle(app)
    app.clock.advance(11)
    expect(await runUntilIdle(app)).toMatchObject({ fired: 0 })
    await sendEvent(app, 'begun', { id: uuid(3) })
    await runUntilIdle(app)
    app.clock.advance(11)
    expect(await runUntilIdle(app)).toMatchObject({ fired: 1 })
  })

  test('waits at most 15 minutes and is then evaluated once, with several servers', async () => {
    const app = await setup()
    const id = await createAutomation(app, reactiveTrigger('b'))
    await sendEvent(app, 'b', { id: uuid(2), follows: uuid(1) })
    app.clock.advance(quarterHour - 1)
    expect(await runUntilIdle(app)).toMatchObject({ fired: 0 })
    app.clock.advance(2)
    const servers = [app, createReplica(app), createReplica(app)]
    await Promise.all(servers.map(({ context }) => evaluateStep(context)))
    await runUntilIdle(app)
    expect(await readTriggeringEventIds(app, id)).toEqual([uuid(2)])
    expect(await readHeldEvents(app)).toEqual([])
  })

  test('is not held when it was received more than 15 minutes ago', async () => {
    const app = await setup()
    const id = await createAutomation(app, reactiveTrigger('b'))
    await sendEvent(app, 'b', { id: uuid(2), follows: uuid(1) })
    app.clock.advance(quarterHour + 1)
    await runUntilIdle(app)
    expect(await readTriggeringEventIds(app, id)).toEqual([uuid(2)])
  })

  test('is not held without a matching trigger or with an older predecessor', async () => {
    const app = await setup()
    const id = await createAutomation(app, reactiveTrigger('b'))
    await sendEvent(app, 'other', { follows: uuid(9) })
    const first = await sendEvent(app, 'a')
    await runUntilIdle(app)
    const second = await sendEvent(app, 'b', { follows: first })
    expect(await runUntilIdle(app)).toMatchObject({ fired: 1 })
    expect(await readTriggeringEventIds(app, id)).toEqual([second])
    expect(await readHeldEvents(app)).toEqual([])
  })
})

eachDialect('an event whose predecessor was never emitted', (setup) => {
  const { signal } = new AbortController()

  test('fires at once for each late scheduled run', async () => {
    const app = await setup()
    const flow = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    const schedules = [{ schedule: { interval: 10, anchor_date: '2030-01-01T00:00:00Z' }, max_scheduled_runs: 7 }]
    await app.call('POST', '/deployments/', { name: 'd', flow_id: flow, schedules })
    const id = await createAutomation(app, reactiveTrigger('prefect.flow-run.Late'))
    expect(await scheduler.runOnce(app.context, signal)).toEqual({ scheduled: 7 })
    app.clock.advance(120)
    expect(await lateRuns.runOnce(app.context, signal)).toEqual({ marked: 7 })
    expect(await runUntilIdle(app)).toMatchObject({ fired: 7 })
    expect(await readHeldEvents(app)).toEqual([])
    const late = await app.context.reads.kysely.selectFrom('event').select(['id', 'follows']).where('event', '=', 'prefect.flow-run.Late').execute()
    expect(late.map(({ follows }) => follows)).toEqual(late.map(() => null))
    expect((await readTriggeringEventIds(app, id)).sort()).toEqual(late.map((event) => event.id).sort())
  })

  test('follows the state before it when that one was emitted', async () => {
    const app = await setup()
    const flow_id = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    const run = (await app.call('POST', '/flow_runs/', { flow_id, state: { type: 'PENDING' } })).body
    await app.call('POST', `/flow_runs/${run.id}/set_state`, { state: { type: 'RUNNING' } })
    const running = await app.context.reads.kysely.selectFrom('event').select('follows').where('event', '=', 'prefect.flow-run.Running').execute()
    expect(running).toEqual([{ follows: run.state.id }])
  })

  test('does not wait for a stored flow run state, whose event exists or was never emitted', async () => {
    const app = await setup()
    const flow_id = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    const run = (await app.call('POST', '/flow_runs/', { flow_id, state: { type: 'PENDING' } })).body
    const id = await createAutomation(app, reactiveTrigger('prefect.flow-run.Running'))
    // An adopted run has states without events, too.
    await app.context.commands.submit((tx) => tx.kysely.deleteFrom('event').where('id', '=', run.state.id).execute())
    await app.call('POST', `/flow_runs/${run.id}/set_state`, { state: { type: 'RUNNING' } })
    expect(await runUntilIdle(app)).toMatchObject({ fired: 1 })
    expect(await readHeldEvents(app)).toEqual([])
    expect(await readTriggeringEventIds(app, id)).toHaveLength(1)
  })
})
