import { expect, test } from 'vitest'
import { createAutomation, reactiveTrigger, readAutomationEvents, runUntilIdle, sendEvent } from '../../test/automations.ts'
import { eachDialect } from '../../test/setup.ts'

eachDialect('a proactive trigger', (setup) => {
  test('counts expected events that arrive before the event that starts their period', async () => {
    const app = await setup()
    const trigger = { posture: 'Proactive', after: ['start'], within: 30, for_each: ['prefect.resource.id'] }
    const id = await createAutomation(app, reactiveTrigger('done', trigger))
    const now = app.clock.now() / 1_000_000
    const send = (event: string, thing: string, seconds: number) =>
      sendEvent(app, event, { occurred: now + seconds, resource: { 'prefect.resource.id': thing } })
    await send('done', 'followed', 10)
    await send('done', 'too early', -5)
    await send('done', 'too late', 31)
    await runUntilIdle(app)
    for (const thing of ['followed', 'too early', 'too late', 'other']) await send('start', thing, 0)
    // One process sends the end of a period before another one sends that it was started again.
    await send('start', 'twice', 0)
    await send('done', 'twice', 8)
    await send('start', 'twice', 5)
    await runUntilIdle(app)
    app.clock.advance(60)
    await runUntilIdle(app)
    const fired = await readAutomationEvents(app, id, 'triggered')
    expect(fired.map(({ payload }) => payload.triggering_labels['prefect.resource.id']).sort()).toEqual(['other', 'too early', 'too late'])
  })

  test('forgets expected events that no period can count any more', async () => {
    const app = await setup()
    await createAutomation(app, reactiveTrigger('done', { posture: 'Proactive', after: ['start'], within: 30 }))
    const count = async () => (await app.context.reads.kysely.selectFrom('automation_bucket').selectAll().execute()).map((row) => row.count)
    for (let n = 0; n < 250; n += 1) await sendEvent(app, 'done')
    await runUntilIdle(app)
    expect(await count()).toEqual([200])
    app.clock.advance(7200)
    await sendEvent(app, 'done')
    await runUntilIdle(app)
    expect(await count()).toEqual([1])
    app.clock.advance(7200)
    await runUntilIdle(app)
    expect(await count()).toEqual([])
  })
})
