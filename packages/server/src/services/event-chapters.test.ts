import { expect, test } from 'vitest'
import { eachDialect } from '../../test/setup.ts'
import { formatTime } from '../lib/time.ts'
import { eventChapters } from './event-chapters.ts'

eachDialect('event-chapters', (setup) => {
  test('keeps a chapter when there are enough events for one, and is done', async () => {
    const app = await setup()
    const run = () => eventChapters.runOnce(app.parts, new AbortController().signal)
    const send = (count: number) =>
      app.call(
        'POST',
        '/events',
        Array.from({ length: count }, () => ({
          id: app.parts.newId(),
          occurred: formatTime(app.parts.clock.now()),
          event: 'e',
          resource: { 'prefect.resource.id': 'thing.1' },
        })),
      )
    for (let sent = 0; sent < 4000; sent += 500) await send(500)
    expect(await run()).toEqual({ chapters: 0 })
    await send(100)
    expect(await run()).toEqual({ chapters: 1 })
    expect(await run()).toEqual({ chapters: 0 })
    expect((await app.call('POST', '/events/filter', { filter: { resource: { id_prefix: ['thing.'] } } })).body.total).toBe(4100)
  })
})
