import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { formatTime } from '../lib/time.ts'
import { flushSegments } from '../services/event-segments.ts'
import { statement } from '../storage/database.ts'
import { readEventsAfter, readHead } from './cursor.ts'
import { findActiveResources, readEventsOfResources } from './find-events.ts'
import { findStoredIds, readEventsById, readEventsByPosition, readEventsByReference } from './log-reader.ts'
import { segmentIndexOf } from './segments/segment-index.ts'
import { SegmentTrimmer } from './trim.ts'

const { signal } = new AbortController()

const event = (app: TestApp, number: number, more: object = {}) => ({
  id: app.context.newId(),
  occurred: formatTime(app.context.clock.now()),
  event: `e${number}`,
  resource: { 'prefect.resource.id': `thing.${number % 3}` },
  related: [{ 'prefect.resource.id': `other.${number}`, 'prefect.resource.role': 'r' }],
  ...more,
})

const send = (app: TestApp, events: readonly object[]) => app.call('POST', '/events', events)

const countRows = async (app: TestApp, table: string): Promise<number> =>
  Number((await app.context.reads.first<{ count: number }>(statement(`select count(*) as count from ${table}`)))?.count)

eachDialect('the event log in segments', (setup) => {
  test('returns texts as they were sent, in the table and in a segment', async () => {
    const app = await setup()
    const large = 'x'.repeat(300_000)
    const payloads = [`{"b":1.0,"a":12345678901234567890,"10":1,"2":-0.0}`, `{"text":"${large}","n":1e2}`, '{}', '{"ü":"木😀","nul":"\\u0000"}']
    const given = payloads.map((payload, number) => ({ ...event(app, number), payload }))
    const body = given.map(({ payload, ...rest }) => `${JSON.stringify(rest).slice(0, -1)},"payload":${payload}}`)
    expect((await app.call('POST', '/events', `[${body.join(',')}]`)).status).toBe(204)
    const readPage = async () =>
      (await app.server.inject({ method: 'POST', url: '/events/filter', payload: { filter: { order: 'ASC', resource: { id_prefix: ['thing.'] } } } }))
        .body
    const before = await readPage()
    for (const payload of payloads) expect(before).toContain(`"payload":${payload}`)
    expect(await flushSegments(app.context, signal, 4)).toBe(1)
    expect(await countRows(app, 'event')).toBe(0)
    expect(await readPage()).toBe(before)
  })

  test('gives a reader behind a moved range every event in order', async () => {
    const app = await setup()
    await send(
      app,
      Array.from({ length: 30 }, (_, number) => event(app, number)),
    )
    const all = await readEventsAfter(app.context.reads, 0, 100)
    expect(await flushSegments(app.context, signal, 7)).toBe(4)
    expect(await countRows(app, 'event')).toBe(2)
    expect(await readEventsAfter(app.context.reads, 0, 100)).toEqual(all)
    expect(await readHead(app.context.reads)).toBe(all.at(-1)?.position)
    for (const limit of [1, 6, 7, 8]) {
      const read: string[] = []
      for (let head = 0; ; ) {
        const rows = await readEventsAfter(app.context.reads, head, limit)
        read.push(...rows.map((row) => row.id))
        if (rows.length < limit) break
        head = rows.at(-1)?.position as number
      }
      expect(read).toEqual(all.map(({ id }) => id))
    }
  })

  test('misses no event while events arrive, move and are read', { timeout: 60_000 }, async () => {
    const app = await setup()
    const { reads } = app.context
    let isWriting = true
    const wanted: string[] = []
    const writers = Promise.all(
      Array.from({ length: 4 }, async (_, writer) => {
        for (let n = 0; n < 25; n += 1) {
          const events = Array.from({ length: 3 }, (_, i) => event(app, writer * 1000 + n * 10 + i))
          wanted.push(...events.map(({ id }) => id))
          await send(app, events)
        }
      }),
    ).finally(() => {
      isWriting = false
    })
    const flusher = (async () => {
      while (isWriting) {
        await flushSegments(app.context, signal, 5)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    const found: string[] = []
    for (let head = 0, more = true; more; ) {
      const wasWriting = isWriting
      const rows = await readEventsAfter(reads, head, 4)
      found.push(...rows.map(({ id }) => id))
      head = rows.at(-1)?.position ?? head
      const { total } = (await app.call('POST', '/events/filter', { filter: { resource: { id_prefix: ['thing.'] } } })).body
      expect(total).toBeGreaterThanOrEqual(found.length)
      more = wasWriting || rows.length > 0
    }
    await Promise.all([writers, flusher])
    expect(found.toSorted()).toEqual(wanted.toSorted())
  })

  test('ignores an event whose id is in a segment', async () => {
    const app = await setup()
    const events = Array.from({ length: 8 }, (_, number) => event(app, number))
    await send(app, events)
    await flushSegments(app.context, signal, 4)
    await send(app, [event(app, 9), ...events, { ...(events[0] as object), occurred: formatTime(1) }])
    expect(await countRows(app, 'event')).toBe(1)
    expect((await app.call('POST', '/events/filter', { filter: { resource: { id_prefix: ['thing.'] } } })).body.total).toBe(9)
  })

  test('ignores an event that moves into a segment after its id was checked', async () => {
    const app = await setup()
    const events = Array.from({ length: 9 }, (_, number) => event(app, number))
    await send(app, events)
    const { context } = app
    // The ids were checked before both segments were stored: up to position 0.
    await flushSegments(context, signal, 4)
    const record = { ...events[0], occurred: 5, payload: '{}', follows: null, checkedUntil: 0 }
    await context.commands.submit(async (tx) => {
      for (const { id } of events) tx.emit({ ...record, id } as Parameters<typeof tx.emit>[0])
      tx.emit({ ...record, id: context.newId() } as Parameters<typeof tx.emit>[0])
    })
    expect(await countRows(app, 'event')).toBe(2)
  })

  test('finds an id in a segment that retention has replaced since the last refresh', async () => {
    const app = await setup()
    const old = Array.from({ length: 2 }, (_, number) => event(app, number, { occurred: formatTime(app.context.clock.now() - 9 * 86_400_000_000) }))
    const events = [...old, ...Array.from({ length: 4 }, (_, number) => event(app, number))]
    await send(app, events)
    await flushSegments(app.context, signal, 6)
    await segmentIndexOf(app.context.reads).refresh()
    const trimmer = new SegmentTrimmer(app.context, app.context.clock.now() - 7 * 86_400_000_000)
    expect(await trimmer.trimNext()).toBe(2)
    const records = events.slice(2).map(({ id }) => ({ id, occurred: 5 }))
    expect((await findStoredIds(segmentIndexOf(app.context.reads), app.context.reads, records)).known).toEqual(new Set(records.map(({ id }) => id)))
  })

  test('leaves the table as it was when the transaction of a segment fails', async () => {
    const app = await setup()
    await send(
      app,
      Array.from({ length: 4 }, (_, number) => event(app, number)),
    )
    const all = await readEventsAfter(app.context.reads, 0, 10)
    const { commands } = app.context
    // Fails after the segment was inserted and the rows were deleted.
    const submit: typeof commands.submit = (work) =>
      commands.submit(async (tx) => {
        await work(tx)
        throw new Error('killed')
      })
    await expect(flushSegments({ ...app.context, commands: { ...commands, submit } }, signal, 4)).rejects.toThrow('killed')
    expect([await countRows(app, 'event'), await countRows(app, 'event_segment'), await countRows(app, 'event_segment_part')]).toEqual([4, 0, 0])
    expect(await readEventsAfter(app.context.reads, 0, 10)).toEqual(all)
    expect(await flushSegments(app.context, signal, 4)).toBe(1)
    expect(await readEventsAfter(app.context.reads, 0, 10)).toEqual(all)
  })

  test('finds events by position, id, reference and resource', async () => {
    const app = await setup()
    const { reads } = app.context
    await send(
      app,
      Array.from({ length: 20 }, (_, number) => event(app, number)),
    )
    await flushSegments(app.context, signal, 6)
    const all = await readEventsAfter(reads, 0, 100)
    const sorted = <T extends { position: number }>(rows: readonly T[]) => rows.toSorted((a, b) => a.position - b.position)
    const unknown = app.context.newId()
    expect(
      sorted(
        await readEventsByPosition(
          reads,
          all.map(({ position }) => position),
        ),
      ),
    ).toEqual(all)
    expect(sorted(await readEventsById(reads, [...all.map(({ id }) => id), unknown]))).toEqual(all)
    expect(sorted(await readEventsByReference(reads, [...all, { id: unknown, occurred: all[3]?.occurred as number }]))).toEqual(all)
    expect(sorted(await readEventsOfResources(reads, ['thing.1', 'other.2']))).toEqual(all.filter(({ resource_id }) => resource_id === 'thing.1'))
    const since = all[10]?.occurred as number
    expect(await findActiveResources(reads, ['thing.0', 'other.3', 'other.12', 'nothing'], since)).toEqual(new Set(['thing.0', 'other.12']))
  })
})
