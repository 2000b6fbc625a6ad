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
import { eachDialect, type TestApp } from '../../test/setup.ts'

const limitPerMinute = (count: number) => ({ env: { MILLRACE_AUTOMATIONS_MAXIMUM_FIRINGS_PER_MINUTE: String(count) } })
const listSuspended = async (app: TestApp): Promise<string[]> =>
  (await app.call('GET', '/automations/suspended')).body.map(({ automation_id }: { automation_id: string }) => automation_id)
const status = async (app: TestApp, id: string) => (await app.call('GET', `/automations/${id}/status`)).body
const sendMany = async (app: TestApp, count: number, event = 'go') => {
  for (let n = 0; n < count; n += 1) await sendEvent(app, event)
}

eachDialect('an automation above its limits', (setup) => {
  test('is suspended with an event and a reason and is listed', async () => {
    const app = await setup(limitPerMinute(3))
    const id = await createAutomation(app, reactiveTrigger('go'), undefined, { name: 'busy' })
    const other = await createAutomation(app, reactiveTrigger('go', { threshold: 2, within: 60 }))
    const notified = await createAutomation(app, reactiveTrigger('millrace.automation.suspended'))
    await sendMany(app, 5)
    await runUntilIdle(app)
    expect(await readTriggeringEventIds(app, id)).toHaveLength(3)
    expect(await readTriggeringEventIds(app, other)).toHaveLength(1)
    const reason = expect.stringContaining('more than 3 times in a minute')
    const [row] = (await app.call('GET', '/automations/suspended')).body
    expect(row).toEqual({ automation_id: id, name: 'busy', since: expect.any(String), until: expect.any(String), reason })
    expect(await status(app, id)).toMatchObject({ enabled: true, suspended: { reason }, reason })
    expect(await status(app, other)).toMatchObject({ suspended: null })
    const [event] = await app.context.reads.kysely.selectFrom('event').selectAll().where('event', '=', 'millrace.automation.suspended').execute()
    expect(JSON.parse(event?.related as string)).toEqual([
      { 'prefect.resource.id': `prefect.automation.${id}`, 'prefect.resource.role': 'automation', 'prefect.resource.name': 'busy' },
    ])
    expect(JSON.parse(event?.payload as string)).toEqual({ reason, until: row.until })
    expect(await readTriggeringEventIds(app, notified)).toEqual([event?.id])
    expect((await app.call('GET', `/automations/${id}`)).body).not.toHaveProperty('suspended')
  })

  test('is not suspended for firings in different minutes, however late they are read', async () => {
    const app = await setup(limitPerMinute(3))
    const id = await createAutomation(app, reactiveTrigger('go'))
    for (let minute = 0; minute < 3; minute += 1) {
      await sendMany(app, 3)
      app.clock.advance(60)
    }
    await runUntilIdle(app)
    expect(await readTriggeringEventIds(app, id)).toHaveLength(9)
    expect(await listSuspended(app)).toEqual([])
  })

  test('is counted across servers and restarts', async () => {
    const app = await setup(limitPerMinute(3))
    const id = await createAutomation(app, reactiveTrigger('go'))
    for (let n = 0; n < 5; n += 1) {
      await sendEvent(app, 'go')
      await runUntilIdle(createReplica(app))
    }
    expect(await readTriggeringEventIds(app, id)).toHaveLength(3)
    expect(await listSuspended(app)).toEqual([id])
  })

  test('allows a thousand failures per minute by default', async () => {
    const app = await setup()
    const id = await createAutomation(app, reactiveTrigger('prefect.flow-run.Failed'))
    const occurred = app.clock.now() / 1_000_000
    const resource = { 'prefect.resource.id': 'prefect.flow-run.x' }
    const events = Array.from({ length: 1000 }, (_, n) => ({ id: uuid(n), occurred, event: 'prefect.flow-run.Failed', resource }))
    await app.call('POST', '/events', events)
    expect(await runUntilIdle(app)).toMatchObject({ fired: 1000, executed: 1000 })
    expect(await readTriggeringEventIds(app, id)).toHaveLength(1000)
    expect(await listSuspended(app)).toEqual([])
  }, 60_000)

  test.each<[string, (app: TestApp, id: string) => Promise<{ status: number }>]>([
    ['by a request', (app, id) => app.call('POST', `/automations/${id}/resume`)],
    ['by switching it on', (app, id) => app.call('PATCH', `/automations/${id}`, { enabled: true })],
    ['by a new trigger', (app, id) => app.call('PUT', `/automations/${id}`, { name: 'auto', trigger: reactiveTrigger('go'), actions: [] })],
  ])('resumes %s, and counts from then on', async (_how, resume) => {
    const app = await setup(limitPerMinute(1))
    const id = await createAutomation(app, reactiveTrigger('go'))
    await sendMany(app, 3)
    await runUntilIdle(app)
    expect(await listSuspended(app)).toEqual([id])
    await sendEvent(app, 'go')
    await runUntilIdle(app)
    app.clock.advance(61)
    expect((await resume(app, id)).status).toBe(204)
    expect(await listSuspended(app)).toEqual([])
    const last = await sendEvent(app, 'go')
    await runUntilIdle(app)
    expect((await readTriggeringEventIds(app, id)).slice(1)).toEqual([last])
    expect((await app.eventNames()).filter((name) => name === 'millrace.automation.resumed')).toHaveLength(1)
  })

  test('resumes after the suspension, once, with several servers', async () => {
    const app = await setup(limitPerMinute(1))
    const id = await createAutomation(app, reactiveTrigger('go'))
    await sendMany(app, 2)
    await runUntilIdle(app)
    app.clock.advance(599)
    await runUntilIdle(app)
    expect(await listSuspended(app)).toEqual([id])
    app.clock.advance(2)
    await Promise.all([app, createReplica(app), createReplica(app)].map(runUntilIdle))
    expect(await listSuspended(app)).toEqual([])
    expect((await app.eventNames()).filter((name) => name === 'millrace.automation.resumed')).toHaveLength(1)
    const last = await sendEvent(app, 'go')
    await runUntilIdle(app)
    expect((await readTriggeringEventIds(app, id)).at(-1)).toBe(last)
  })

  test('is not listed after its deletion, and an unknown id cannot be resumed', async () => {
    const app = await setup(limitPerMinute(1))
    const id = await createAutomation(app, reactiveTrigger('go'))
    await sendMany(app, 2)
    await runUntilIdle(app)
    await app.call('DELETE', `/automations/${id}`)
    expect(await listSuspended(app)).toEqual([])
    expect((await app.call('POST', `/automations/${id}/resume`)).status).toBe(404)
  })

  test('is the automation with the most firings when the total limit is exceeded', async () => {
    const app = await setup({ env: { MILLRACE_AUTOMATIONS_MAXIMUM_TOTAL_FIRINGS_PER_MINUTE: '10' } })
    const busy = await createAutomation(app, reactiveTrigger('often'))
    const quiet = await createAutomation(app, reactiveTrigger('seldom'))
    await sendMany(app, 2, 'seldom')
    await sendMany(app, 8, 'often')
    await sendEvent(app, 'seldom')
    await runUntilIdle(app)
    expect(await listSuspended(app)).toEqual([busy])
    expect(await readTriggeringEventIds(app, quiet)).toHaveLength(3)
    await sendMany(app, 5, 'seldom')
    await runUntilIdle(app)
    expect(await listSuspended(app)).toEqual([busy])
    expect(await readAutomationEvents(app, quiet, 'triggered')).toHaveLength(8)
  })
})
