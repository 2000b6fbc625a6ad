import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { formatTime } from '../lib/time.ts'
import { eventSegments, flushSegments } from './event-segments.ts'

eachDialect('event-segments', (setup) => {
  const { signal } = new AbortController()

  test('stores a segment when there are enough events', async () => {
    const app = await setup()
    for (let sent = 0; sent < 4000; sent += 500) await send(app, 500)
    expect(await eventSegments.runOnce(app.context, signal)).toEqual({ segments: 0 })
    await send(app, 100)
    expect(await eventSegments.runOnce(app.context, signal)).toEqual({ segments: 1 })
    expect(await eventSegments.runOnce(app.context, signal)).toEqual({ segments: 0 })
    expect((await app.call('POST', '/events/filter', { filter: { resource: { id_prefix: ['thing.'] } } })).body.total).toBe(4100)
  })

  test('stores all remaining segments when no events arrive', async () => {
    const app = await setup()
    await send(app, 200)
    expect(await flushSegments(app.context, signal, 10)).toBeGreaterThanOrEqual(20)
  })

  test('stops after a few segments while events arrive', async () => {
    const app = await setup()
    await send(app, 200)
    const { commands } = app.context
    // Events arrive while each segment is built.
    const submit: typeof commands.submit = async (work) => {
      await send(app, 30)
      return commands.submit(work)
    }
    expect(await flushSegments({ ...app.context, commands: { ...commands, submit } }, signal, 10)).toBe(8)
  })
})

const send = (app: TestApp, count: number) =>
  app.call(
    'POST',
    '/events',
    Array.from({ length: count }, () => ({
      id: app.context.newId(),
      occurred: formatTime(app.context.clock.now()),
      event: 'e',
      resource: { 'prefect.resource.id': 'thing.1' },
    })),
  )
