import { expect, test } from 'vitest'
import { startEventLoopProbe } from '../../test/event-loop-probe.ts'
import { startInMemoryApp } from '../../test/http/in-memory-app.ts'
import { toCriteria } from './criteria.ts'
import { liveEvents } from './live.ts'

const subscribers = 60
const events = 200

test('sixty subscribers that read the log on their own do not take a turn of the event loop together', { timeout: 60_000 }, async () => {
  const app = await startInMemoryApp()
  const occurred = '2030-01-01T00:00:00Z'
  const list = Array.from({ length: events }, () => ({ id: crypto.randomUUID(), event: 'x', occurred, resource: { 'prefect.resource.id': 'a' } }))
  expect((await app.call('POST', '/events', list)).status).toBe(204)
  const live = liveEvents(app.context)
  const end = new AbortController()
  const criteria = toCriteria({}, { since: 0, until: Number.MAX_SAFE_INTEGER })
  let received = 0
  const probe = startEventLoopProbe()
  const all = Promise.withResolvers<void>()
  const subscribe = () =>
    live.subscribe(
      {
        criteria: { ...criteria, order: 'ASC' },
        signal: end.signal,
        unsentBytes: 0,
        waitForDrain: async () => {},
        send(event) {
          received += 1
          // About what it takes to send an event of 100 KB.
          for (const until = performance.now() + 0.2; performance.now() < until; ) void event.frame
          if (received === subscribers * events) all.resolve()
        },
        disconnect: () => {},
        reject: () => {},
      },
      0,
    )
  const ended = Promise.all(Array.from({ length: subscribers }, subscribe))
  await all.promise
  end.abort()
  await ended
  expect(probe.stop()).toBeLessThan(200)
})
