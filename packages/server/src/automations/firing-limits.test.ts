import { expect, test } from 'vitest'
import { automate, firedBy, react, replica, said, send, settle, uuid } from '../../test/automations.ts'
import { eachDialect, type TestApp } from '../../test/setup.ts'

const perMinute = (count: number) => ({ env: { MILLRACE_AUTOMATIONS_MAXIMUM_FIRINGS_PER_MINUTE: String(count) } })
const suspended = async (app: TestApp): Promise<string[]> =>
  (await app.call('GET', '/automations/suspended')).body.map(({ automation_id }: { automation_id: string }) => automation_id)
const status = async (app: TestApp, id: string) => (await app.call('GET', `/automations/${id}/status`)).body
const sendMany = async (app: TestApp, count: number, event = 'go') => {
  for (let n = 0; n < count; n += 1) await send(app, event)
}

eachDialect('an automation that fires too often', (setup) => {
  test('is suspended, with an event, a reason and a place in the list', async () => {
    const app = await setup(perMinute(3))
    const id = await automate(app, react('go'), undefined, { name: 'busy' })
    const other = await automate(app, react('go', { threshold: 2, within: 60 }))
    const notified = await automate(app, react('millrace.automation.suspended'))
    await sendMany(app, 5)
    await settle(app)
    expect(await firedBy(app, id)).toHaveLength(3)
    expect(await firedBy(app, other)).toHaveLength(1)
    const reason = expect.stringContaining('more often than 3 times within a minute')
    const [row] = (await app.call('GET', '/automations/suspended')).body
    expect(row).toEqual({ automation_id: id, name: 'busy', since: expect.any(String), until: expect.any(String), reason })
    expect(await status(app, id)).toMatchObject({ enabled: true, suspended: { reason }, reason })
    expect(await status(app, other)).toMatchObject({ suspended: null })
    const [event] = await app.context.reads.kysely.selectFrom('event').selectAll().where('event', '=', 'millrace.automation.suspended').execute()
    expect(JSON.parse(event?.related as string)).toEqual([
      { 'prefect.resource.id': `prefect.automation.${id}`, 'prefect.resource.role': 'automation', 'prefect.resource.name': 'busy' },
    ])
    expect(JSON.parse(event?.payload as string)).toEqual({ reason, until: row.until })
    expect(await firedBy(app, notified)).toEqual([event?.id])
    expect((await app.call('GET', `/automations/${id}`)).body).not.toHaveProperty('suspended')
  })

  test('is not suspended when its firings lie in different minutes, however late they are read', async () => {
    const app = await setup(perMinute(3))
    const id = await automate(app, react('go'))
    for (let minute = 0; minute < 3; minute += 1) {
      await sendMany(app, 3)
      app.clock.advance(60)
    }
    await settle(app)
    expect(await firedBy(app, id)).toHaveLength(9)
    expect(await suspended(app)).toEqual([])
  })

  test('is counted by all servers together, and across restarts', async () => {
    const app = await setup(perMinute(3))
    const id = await automate(app, react('go'))
    for (let n = 0; n < 5; n += 1) {
      await send(app, 'go')
      await settle(replica(app))
    }
    expect(await firedBy(app, id)).toHaveLength(3)
    expect(await suspended(app)).toEqual([id])
  })

  test('passes with a thousand failures in a minute by default', async () => {
    const app = await setup()
    const id = await automate(app, react('prefect.flow-run.Failed'))
    const occurred = app.clock.now() / 1_000_000
    const resource = { 'prefect.resource.id': 'prefect.flow-run.x' }
    const events = Array.from({ length: 1000 }, (_, n) => ({ id: uuid(n), occurred, event: 'prefect.flow-run.Failed', resource }))
    await app.call('POST', '/events', events)
    expect(await settle(app)).toMatchObject({ fired: 1000, executed: 1000 })
    expect(await firedBy(app, id)).toHaveLength(1000)
    expect(await suspended(app)).toEqual([])
  }, 60_000)

  test.each<[string, (app: TestApp, id: string) => Promise<{ status: number }>]>([
    ['by a request', (app, id) => app.call('POST', `/automations/${id}/resume`)],
    ['by switching it on', (app, id) => app.call('PATCH', `/automations/${id}`, { enabled: true })],
    ['by a new trigger', (app, id) => app.call('PUT', `/automations/${id}`, { name: 'auto', trigger: react('go'), actions: [] })],
  ])('resumes %s, and counts from then on', async (_how, resume) => {
    const app = await setup(perMinute(1))
    const id = await automate(app, react('go'))
    await sendMany(app, 3)
    await settle(app)
    expect(await suspended(app)).toEqual([id])
    await send(app, 'go')
    await settle(app)
    app.clock.advance(61)
    expect((await resume(app, id)).status).toBe(204)
    expect(await suspended(app)).toEqual([])
    const last = await send(app, 'go')
    await settle(app)
    expect((await firedBy(app, id)).slice(1)).toEqual([last])
    expect((await app.events()).filter((name) => name === 'millrace.automation.resumed')).toHaveLength(1)
  })

  test('resumes by itself after a while, once, however many servers look', async () => {
    const app = await setup(perMinute(1))
    const id = await automate(app, react('go'))
    await sendMany(app, 2)
    await settle(app)
    app.clock.advance(599)
    await settle(app)
    expect(await suspended(app)).toEqual([id])
    app.clock.advance(2)
    await Promise.all([app, replica(app), replica(app)].map(settle))
    expect(await suspended(app)).toEqual([])
    expect((await app.events()).filter((name) => name === 'millrace.automation.resumed')).toHaveLength(1)
    const last = await send(app, 'go')
    await settle(app)
    expect((await firedBy(app, id)).at(-1)).toBe(last)
  })

  test('is gone from the list when it is deleted, and an unknown one cannot be resumed', async () => {
    const app = await setup(perMinute(1))
    const id = await automate(app, react('go'))
    await sendMany(app, 2)
    await settle(app)
    await app.call('DELETE', `/automations/${id}`)
    expect(await suspended(app)).toEqual([])
    expect((await app.call('POST', `/automations/${id}/resume`)).status).toBe(404)
  })

  test('is the one that fired most when all together fire too often', async () => {
    const app = await setup({ env: { MILLRACE_AUTOMATIONS_MAXIMUM_TOTAL_FIRINGS_PER_MINUTE: '10' } })
    const busy = await automate(app, react('often'))
    const quiet = await automate(app, react('seldom'))
    await sendMany(app, 2, 'seldom')
    await sendMany(app, 8, 'often')
    await send(app, 'seldom')
    await settle(app)
    expect(await suspended(app)).toEqual([busy])
    expect(await firedBy(app, quiet)).toHaveLength(3)
    await sendMany(app, 5, 'seldom')
    await settle(app)
    expect(await suspended(app)).toEqual([busy])
    expect(await said(app, quiet, 'triggered')).toHaveLength(8)
  })
})
