import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, test, vi } from 'vitest'
import { startEventLoopProbe } from '../../test/event-loop-probe.ts'
import { proofSize, reportFigures } from '../../test/proof-size.ts'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { connect } from '../../test/socket-client.ts'
import { subscribeFromThread } from '../../test/threaded-subscriber.ts'
import { toNewEvent } from './outbox.ts'

const eventCount = proofSize(12_000, 51_000)
const batchSize = 1000
const turnMs = proofSize(250, 50)

/** Puts events of flow runs into the log, a millisecond apart. */
async function seedEvents(app: TestApp, count: number, payload = 'x'.repeat(600)): Promise<void> {
  const start = app.clock.now()
  for (let from = 0; from < count; from += batchSize) {
    await app.context.commands.submit((tx) =>
      tx.appendEvents(
        Array.from({ length: Math.min(batchSize, count - from) }, (_, n) => {
          const number = from + n
          const occurred = start + number * 1000
          return toNewEvent(
            {
              id: app.context.newId(),
              occurred,
              event: `prefect.flow-run.${number % 2 === 0 ? 'Running' : 'Completed'}`,
              resource: {
                'prefect.resource.id': `prefect.flow-run.${number >> 1}`,
                'prefect.resource.name': `run ${number >> 1}`,
                number: `${number}`,
              },
              related: [{ 'prefect.resource.id': `prefect.flow.${number % 7}`, 'prefect.resource.role': 'flow', 'prefect.resource.name': 'f' }],
              payload: JSON.stringify({ note: payload, number, kind: number % 9 === 0 ? 'needle' : 'straw' }),
              follows: null,
            },
            occurred,
          )
        }),
      ),
    )
  }
  app.clock.advance(count / 1000 + 1)
}

eachDialect('backfill of a long log', (setup, dialect) => {
  test.each<[string, object, (number: number) => boolean]>([
    ['everything', {}, () => true],
    ['a name', { event: { name: ['prefect.flow-run.Completed'] } }, (number) => number % 2 === 1],
    ['a text', { text: { query: 'needle' } }, (number) => number % 9 === 0],
    ['a related resource', { related: { id: ['prefect.flow.3'] } }, (number) => number % 7 === 3],
  ])(
    'lets other work run in between: %s',
    async (what, filter, matches) => {
      const app = await setup()
      await seedEvents(app, eventCount)
      const wanted = Array.from({ length: eventCount }, (_, number) => number).filter(matches)
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      const turns = startEventLoopProbe()
      const { numbers } = await subscribeFromThread(app, filter, wanted.length)
      const longest = turns.stop()
      delay.disable()
      reportFigures(
        `${dialect}, ${what}: ${wanted.length} events, longest turn ${longest.toFixed(1)} ms, longest delay ${(delay.max / 1e6).toFixed(1)} ms`,
      )
      expect(numbers).toEqual(wanted)
      expect(longest).toBeLessThan(turnMs)
    },
    120_000,
  )

  test('waits for a slow client and buffers little for it', async () => {
    const app = await setup()
    const [count, eventBytes] = [120, 100_000]
    await seedEvents(app, count, 'x'.repeat(eventBytes))
    const client = await connect(app, '/events/out')
    client.pauseReading()
    client.send({ type: 'filter', filter: {} })
    const unsent = () => Math.max(...[...app.server.websocketServer.clients].map(({ bufferedAmount }) => bufferedAmount))
    await vi.waitFor(() => expect(unsent()).toBeGreaterThan(3 * eventBytes), { timeout: 10_000 })
    expect(unsent()).toBeLessThan(1024 * 1024 + 2 * eventBytes)
    client.resumeReading()
    const numbers: number[] = []
    while (numbers.length < count) {
      numbers.push(Number((await client.next()).event.resource.number))
      expect(unsent()).toBeLessThan(1024 * 1024 + 2 * eventBytes)
    }
    expect(numbers).toEqual(Array.from({ length: count }, (_, number) => number))
  })
})
