import { expect, test } from 'vitest'
import { readEventsAfter } from '../src/events/cursor.ts'
import { formatTime } from '../src/lib/time.ts'
import { flushSegments } from '../src/services/event-segments.ts'
import { retention } from '../src/services/retention.ts'
import { statement } from '../src/storage/database.ts'
import { createReplicaFactory } from './replicas.ts'
import type { TestApp } from './setup.ts'

const replicas = createReplicaFactory()
const { signal } = new AbortController()

const event = (app: TestApp, daysAgo = 0) => ({
  id: app.context.newId(),
  occurred: formatTime(app.context.clock.now() - daysAgo * 86_400_000_000),
  event: 'e',
  resource: { 'prefect.resource.id': 'thing' },
})

const send = async (app: TestApp, events: readonly object[]) => expect((await app.call('POST', '/events', events)).status).toBe(204)

const total = async (app: TestApp, filter: object): Promise<number> => (await app.call('POST', '/events/filter', { filter })).body.total

test('two servers store segments and read at once without losing or repeating an event', { timeout: 120_000 }, async () => {
  const { apps } = await replicas(2)
  let isWriting = true
  const sent = apps.map((app) => Array.from({ length: 120 }, () => event(app)))
  const writers = Promise.all(
    apps.map(async (app, index) => {
      const events = sent[index] as object[]
      for (let from = 0; from < events.length; from += 3) await send(app, events.slice(from, from + 3))
    }),
  ).finally(() => {
    isWriting = false
  })
  const flushers = apps.map(async (app) => {
    while (isWriting) await flushSegments(app.context, signal, 6)
  })
  const readers = apps.map(async (app) => {
    const ids: string[] = []
    for (let head = 0, more = true; more; ) {
      const wasWriting = isWriting
      const rows = await readEventsAfter(app.context.reads, head, 5)
      ids.push(...rows.map(({ id }) => id))
      head = rows.at(-1)?.position ?? head
      // A query on this server sees at least what its reader has seen.
      expect(await total(app, { any_resource: { id: ['thing'] } })).toBeGreaterThanOrEqual(ids.length)
      more = wasWriting || rows.length > 0
    }
    return ids
  })
  await writers
  await Promise.all(flushers)
  const wanted = sent.flatMap((events) => events.map(({ id }) => id)).sort()
  for (const ids of await Promise.all(readers)) expect(ids.toSorted()).toEqual(wanted)
  // Every event is sent again, to the other server.
  const [one, two] = apps as [TestApp, TestApp]
  await flushSegments(one.context, signal, 6)
  for (let from = 0; from < 120; from += 40) {
    await send(two, (sent[0] as object[]).slice(from, from + 40))
    await send(one, (sent[1] as object[]).slice(from, from + 40))
  }
  for (const app of apps) expect(await total(app, {})).toBe(240)
  const bounds = await one.context.reads.all<{ first: number; last: number }>(statement('select first, last from event_segment order by first'))
  for (const [index, { first }] of bounds.entries()) expect(first).toBeGreaterThan(bounds[index - 1]?.last ?? 0)
})

test('a server sees what the retention of another has removed', { timeout: 60_000 }, async () => {
  const { apps } = await replicas(2)
  const [one, two] = apps as [TestApp, TestApp]
  await send(one, [...Array.from({ length: 10 }, () => event(one, 8)), ...Array.from({ length: 10 }, () => event(one, 1))])
  await flushSegments(one.context, signal, 6)
  expect(await total(two, { event: { name: ['e'] } })).toBe(20)
  await retention.runOnce(one.context, signal)
  for (const filter of [{ event: { name: ['e'] } }, { any_resource: { id: ['thing'] } }, { resource: { id_prefix: ['th'] } }])
    expect(await total(two, filter)).toBe(10)
})
