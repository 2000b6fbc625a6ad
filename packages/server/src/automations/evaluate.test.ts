import { expect, test } from 'vitest'
import {
  createAutomation,
  createReplica,
  reactiveTrigger,
  readAutomationEvents,
  readTriggeringEventIds,
  runUntilIdle,
  sendEvent,
  uuid,
} from '../../test/automations.ts'
import { eachDialect, startApp, type TestApp } from '../../test/setup.ts'
import type { ActingContext } from '../storage/server-context.ts'
import type { Commands } from '../storage/write-queue.ts'
import { evaluateStep } from './evaluate.ts'

/** The same database under another server, as if the first had ended. */
async function restartServer(app: TestApp): Promise<TestApp> {
  const next = await startApp(app.context.config.database.url, { seed: 7, sharesFile: true })
  next.clock.set(app.clock.now())
  return next
}

eachDialect('the trigger evaluator', (setup) => {
  test('fires the matching automation and emits an event', async () => {
    const app = await setup()
    const id = await createAutomation(app, reactiveTrigger('go'))
    await sendEvent(app, 'other')
    const cause = await sendEvent(app, 'go', { payload: { n: 12345678901234567890n.toString() } })
    expect(await runUntilIdle(app)).toMatchObject({ fired: 1, executed: 1, failed: 0 })
    const [triggered, first, second] = await readAutomationEvents(app, id)
    expect(triggered).toMatchObject({
      event: 'prefect.automation.triggered',
      resource: { 'prefect.resource.name': 'auto', 'prefect.posture': 'Reactive' },
      related: [{ 'prefect.resource.id': `prefect.event.${cause}`, 'prefect.resource.role': 'triggering-event' }],
      payload: { triggering_labels: {}, triggering_event: { id: cause, event: 'go' } },
    })
    expect(first).toMatchObject({
      event: 'prefect.automation.action.triggered',
      follows: cause,
      payload: { action_index: 0, action_type: 'do-nothing' },
    })
    expect(second).toMatchObject({ event: 'prefect.automation.action.executed', follows: first?.id })
    expect(second?.related.map((resource) => resource['prefect.resource.role'])).toEqual(['automation-triggered-event', 'triggering-event'])
    expect(await runUntilIdle(app)).toMatchObject({ fired: 0, executed: 0 })
  })

  test('keeps user data unchanged', async () => {
    const app = await setup()
    const id = await createAutomation(app, reactiveTrigger('go'))
    const text = '{"id":1.0,"2":12345678901234567890,"1":[1e2]}'
    await app.call(
      'POST',
      '/events',
      `[{"occurred":"2030-01-01T00:00:00Z","event":"go","resource":{"prefect.resource.id":"x"},"id":"${uuid(1)}","payload":${text}}]`,
    )
    await runUntilIdle(app)
    const [row] = await app.context.reads.kysely.selectFrom('event').select('payload').where('event', '=', 'prefect.automation.triggered').execute()
    expect(row?.payload).toContain(text)
    expect(await readTriggeringEventIds(app, id)).toEqual([uuid(1)])
  })

  test('misses no event while no server runs', async () => {
    const app = await setup()
    const id = await createAutomation(app, reactiveTrigger('go', { threshold: 2, within: 60 }))
    const one = await sendEvent(app, 'go')
    await runUntilIdle(app)
    const two = await sendEvent(app, 'go')
    const next = await restartServer(app)
    expect(await runUntilIdle(next)).toMatchObject({ fired: 1 })
    expect(await readTriggeringEventIds(app, id)).toEqual([two])
    expect(one).not.toBe(two)
    await next.close()
  })

  test('advances past events without a matching trigger within minutes, with one write', async () => {
    const app = await setup()
    await createAutomation(app, reactiveTrigger('go'))
    await runUntilIdle(app)
    const cursor = async () =>
      (await app.context.reads.kysely.selectFrom('event_cursor').select('seen').where('name', '=', 'automations').executeTakeFirstOrThrow()).seen
    const before = await cursor()
    for (let n = 0; n < 11; n += 1) await sendEvent(app, 'other')
    await runUntilIdle(app)
    app.clock.advance(200)
    await sendEvent(app, 'other')
    await runUntilIdle(app)
    expect(await cursor()).toBe(before)
    app.clock.advance(101)
    await runUntilIdle(app)
    expect(Number(await cursor()) - Number(before)).toBe(12)
  })

  test('ignores events from before an automation was created or while it was disabled', async () => {
    const app = await setup()
    await sendEvent(app, 'go')
    const id = await createAutomation(app, reactiveTrigger('go'))
    await runUntilIdle(app)
    await app.call('PATCH', `/automations/${id}`, { enabled: false })
    await sendEvent(app, 'go')
    await app.call('PATCH', `/automations/${id}`, { enabled: true })
    expect(await runUntilIdle(app)).toMatchObject({ fired: 0 })
    const last = await sendEvent(app, 'go')
    await runUntilIdle(app)
    expect(await readTriggeringEventIds(app, id)).toEqual([last])
  })

  test('resets the counts when an automation is disabled, not when it stays enabled', async () => {
    const app = await setup()
    const id = await createAutomation(app, reactiveTrigger('go', { threshold: 2, within: 60 }))
    await sendEvent(app, 'go')
    await runUntilIdle(app)
    await app.call('PATCH', `/automations/${id}`, { enabled: true })
    await app.call('PATCH', `/automations/${id}`, {})
    await sendEvent(app, 'go')
    expect(await runUntilIdle(app)).toMatchObject({ fired: 1 })
    app.clock.advance(100)
    await sendEvent(app, 'go')
    await runUntilIdle(app)
    await app.call('PATCH', `/automations/${id}`, { enabled: false })
    await app.call('PATCH', `/automations/${id}`, { enabled: true })
    await sendEvent(app, 'go')
    expect(await runUntilIdle(app)).toMatchObject({ fired: 0 })
  })

  test('starts a new trigger at zero', async () => {
    const app = await setup()
    const trigger = reactiveTrigger('go', { threshold: 2, within: 60 })
    const id = await createAutomation(app, trigger)
    await sendEvent(app, 'go')
    await runUntilIdle(app)
    await app.call('PUT', `/automations/${id}`, { name: 'auto', trigger, actions: [] })
    await sendEvent(app, 'go')
    expect(await runUntilIdle(app)).toMatchObject({ fired: 0 })
  })

  test('removes all state of a deleted automation', async () => {
    const app = await setup()
    const id = await createAutomation(app, {
      type: 'compound',
      require: 'all',
      within: 60,
      triggers: [reactiveTrigger('a'), reactiveTrigger('b', { threshold: 2, within: 60 })],
    })
    await sendEvent(app, 'a')
    await sendEvent(app, 'b')
    await runUntilIdle(app)
    await app.call('DELETE', `/automations/${id}`)
    await sendEvent(app, 'b')
    await runUntilIdle(app)
    for (const table of [
      'automation_bucket',
      'automation_child_firing',
      'automation_status',
      'automation_firing',
      'automation_invocation',
    ] as const) {
      expect(await app.context.reads.kysely.selectFrom(table).selectAll().execute(), table).toEqual([])
    }
  })

  test('fires a proactive trigger at the end of its period, also after a restart', async () => {
    const app = await setup()
    const id = await createAutomation(
      app,
      reactiveTrigger('done', { posture: 'Proactive', after: ['start'], within: 30, for_each: ['prefect.resource.id'] }),
    )
    const about = (name: string) => ({ resource: { 'prefect.resource.id': name } })
    await sendEvent(app, 'start', about('one'))
    const missed = await sendEvent(app, 'start', about('two'))
    await runUntilIdle(app)
    app.clock.advance(10)
    await sendEvent(app, 'done', about('one'))
    await runUntilIdle(app)
    app.clock.advance(19)
    expect(await runUntilIdle(app)).toMatchObject({ fired: 0 })
    const next = await restartServer(app)
    next.clock.advance(2)
    expect(await runUntilIdle(next)).toMatchObject({ fired: 1 })
    expect(await readTriggeringEventIds(app, id)).toEqual([missed])
    expect((await readAutomationEvents(app, id, 'triggered'))[0]?.payload.triggering_labels).toEqual({ 'prefect.resource.id': 'two' })
    next.clock.advance(1000)
    expect(await runUntilIdle(next)).toMatchObject({ fired: 0 })
    await next.close()
  })

  test('counts a proactive trigger without events from its creation', async () => {
    const app = await setup()
    const id = await createAutomation(app, reactiveTrigger('beat', { posture: 'Proactive', within: 30 }))
    await runUntilIdle(app)
    app.clock.advance(29)
    await sendEvent(app, 'beat')
    await runUntilIdle(app)
    app.clock.advance(30)
    expect(await runUntilIdle(app)).toMatchObject({ fired: 0 })
    app.clock.advance(31)
    expect(await runUntilIdle(app)).toMatchObject({ fired: 1 })
    expect(await readTriggeringEventIds(app, id)).toEqual([null])
    expect((await readAutomationEvents(app, id, 'triggered'))[0]).toMatchObject({ related: [], payload: { triggering_event: null } })
  })

  test('evaluates late events before ended periods', async () => {
    const app = await setup()
    await createAutomation(app, reactiveTrigger('done', { posture: 'Proactive', after: ['start'], within: 30 }))
    await sendEvent(app, 'start')
    await runUntilIdle(app)
    app.clock.advance(20)
    await sendEvent(app, 'done')
    app.clock.advance(1000)
    expect(await runUntilIdle(app)).toMatchObject({ fired: 0 })
  })

  test('evaluates nested triggers, each with its own state', async () => {
    const app = await setup()
    const id = await createAutomation(app, {
      type: 'compound',
      require: 2,
      within: 60,
      triggers: [
        reactiveTrigger('a'),
        { type: 'sequence', within: 60, triggers: [reactiveTrigger('b'), reactiveTrigger('c')] },
        reactiveTrigger('never'),
      ],
    })
    await sendEvent(app, 'c')
    await sendEvent(app, 'a')
    await sendEvent(app, 'b')
    expect(await runUntilIdle(app)).toMatchObject({ fired: 0 })
    const last = await sendEvent(app, 'c')
    expect(await runUntilIdle(app)).toMatchObject({ fired: 1 })
    expect(await readTriggeringEventIds(app, id)).toEqual([last])
    expect((await readAutomationEvents(app, id, 'triggered'))[0]?.resource).not.toHaveProperty('prefect.posture')
    expect((await readAutomationEvents(app, id, 'action.executed'))[0]?.resource).toMatchObject({ 'prefect.trigger-type': 'compound' })
  })

  test('requires an event twice when a sequence expects it twice', async () => {
    const app = await setup()
    const twice = await createAutomation(app, { type: 'sequence', within: 60, triggers: [reactiveTrigger('a'), reactiveTrigger('a')] })
    const around = await createAutomation(app, {
      type: 'sequence',
      within: 60,
      triggers: [reactiveTrigger('a'), reactiveTrigger('b'), reactiveTrigger('a')],
    })
    await sendEvent(app, 'a')
    expect(await runUntilIdle(app)).toMatchObject({ fired: 0 })
    await sendEvent(app, 'b')
    await runUntilIdle(app)
    const second = await sendEvent(app, 'a')
    await runUntilIdle(app)
    expect(await readTriggeringEventIds(app, twice)).toEqual([second])
    expect(await readTriggeringEventIds(app, around)).toEqual([second])
  })

  test('uses log time between firings, whenever the log is read', async () => {
    const app = await setup()
    const id = await createAutomation(app, { type: 'compound', require: 'all', within: 60, triggers: [reactiveTrigger('a'), reactiveTrigger('b')] })
    await sendEvent(app, 'a')
    app.clock.advance(100)
    await sendEvent(app, 'b')
    expect(await runUntilIdle(app)).toMatchObject({ fired: 0 })
    await sendEvent(app, 'a')
    expect(await runUntilIdle(app)).toMatchObject({ fired: 1 })
    expect((await readTriggeringEventIds(app, id)).length).toBe(1)
  })

  test('lets automations trigger each other, but each at most once per chain', async () => {
    const app = await setup()
    const everything = { type: 'event', posture: 'Reactive', expect: ['go', 'prefect.automation.triggered'] }
    const one = await createAutomation(app, everything, [])
    const two = await createAutomation(app, everything, [])
    await sendEvent(app, 'go')
    await runUntilIdle(app)
    const chains = async (id: string) => (await readAutomationEvents(app, id)).map(({ resource }) => resource['millrace.automation-chain'] ?? id)
    expect(await chains(one)).toEqual([one, `${two} ${one}`])
    expect(await chains(two)).toEqual([two, `${one} ${two}`])
    expect((await readAutomationEvents(app, one)).map(({ resource }) => resource['millrace.automation-depth'] ?? '1')).toEqual(['1', '2'])
  })

  test('ends a chain after five automations', async () => {
    const app = await setup()
    const ids: string[] = []
    for (let n = 0; n < 7; n += 1) {
      const match = { 'prefect.resource.id': `prefect.automation.${ids.at(-1)}` }
      ids.push(await createAutomation(app, n === 0 ? reactiveTrigger('go') : reactiveTrigger('prefect.automation.triggered', { match }), []))
    }
    await sendEvent(app, 'go')
    expect(await runUntilIdle(app)).toMatchObject({ fired: 5 })
  })

  test('ignores log events', async () => {
    const app = await setup()
    await createAutomation(app, { type: 'event', posture: 'Reactive', expect: ['prefect.log.write'] })
    await sendEvent(app, 'prefect.log.write')
    expect(await runUntilIdle(app)).toMatchObject({ fired: 0 })
  })

  test('writes nothing in an idle pass and skips events without a matching trigger', async () => {
    const app = await setup()
    await createAutomation(app, reactiveTrigger('go'))
    await runUntilIdle(app)
    const quiet = countWrites(app.context)
    for (let n = 0; n < 3; n += 1) {
      await sendEvent(app, 'nobody')
      await evaluateStep(quiet.context)
      await evaluateStep(quiet.context)
    }
    // The first step of a server makes sure that the triggers that wait have begun.
    expect(quiet.writes()).toBe(1)
    await sendEvent(app, 'go')
    expect(await evaluateStep(quiet.context)).toMatchObject({ fired: 1 })
    expect(quiet.writes()).toBe(2)
  })
})

eachDialect('a burst of events', (setup) => {
  const many = 60
  const burst = async (app: TestApp): Promise<string[]> => {
    const ids = Array.from({ length: many }, (_, n) => uuid(n + 1))
    const occurred = app.clock.now() / 1_000_000
    await app.call(
      'POST',
      '/events',
      ids.map((id, n) => ({ id, occurred, event: 'go', resource: { 'prefect.resource.id': `thing.${n}` } })),
    )
    return ids
  }

  test('fires once per event, whenever the server crashes', async () => {
    const app = await setup()
    const id = await createAutomation(app, reactiveTrigger('go'))
    const ids = await burst(app)
    let current = app
    for (let kills = 0; kills < 8; kills += 1) {
      // Ended within a transaction: nothing of it remains.
      await expect(evaluateStep(failRandomWrites(current.context), 7)).rejects.toThrow('ended')
      // Ended after one.
      await evaluateStep(current.context, 7)
      const next = await restartServer(current)
      if (current !== app) await current.close()
      current = next
    }
    await runUntilIdle(current)
    expect(await readTriggeringEventIds(app, id)).toEqual(ids)
    expect((await readAutomationEvents(app, id, 'action.executed')).length).toBe(many)
    expect(new Set((await readAutomationEvents(app, id, 'action.executed')).map(({ payload }) => payload.invocation)).size).toBe(many)
    if (current !== app) await current.close()
  })

  test('fires once per event with several servers', async () => {
    const app = await setup()
    const id = await createAutomation(app, reactiveTrigger('go'))
    const ids = await burst(app)
    const servers = [app, createReplica(app), createReplica(app)]
    for (let n = 0; n < 30; n += 1) await Promise.all(servers.map(({ context }) => evaluateStep(context, 5)))
    await Promise.all(servers.map(runUntilIdle))
    expect(await readTriggeringEventIds(app, id)).toEqual(ids)
    expect((await readAutomationEvents(app, id, 'action.executed')).length).toBe(many)
  })
})

/** A server whose every transaction ends just before its commit. */
function failRandomWrites(context: ActingContext): ActingContext {
  const submit: Commands['submit'] = (command) =>
    context.commands.submit(async (tx) => {
      await command(tx)
      throw new Error('the server ended')
    })
  return { ...context, server: { ...context.server }, commands: { ...context.commands, submit } }
}

function countWrites(context: ActingContext): { context: ActingContext; writes(): number } {
  let writes = 0
  const submit: Commands['submit'] = (command) => {
    writes += 1
    return context.commands.submit(command)
  }
  return { context: { ...context, server: { ...context.server }, commands: { ...context.commands, submit } }, writes: () => writes }
}
