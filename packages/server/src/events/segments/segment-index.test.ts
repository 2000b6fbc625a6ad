import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'
import { formatTime } from '../../lib/time.ts'
import { statement } from '../../storage/database.ts'
import { SegmentTrimmer, trimTail } from '../trim.ts'
import { flushNextSegment } from './flush-segment.ts'
import { SegmentIndex, segmentIndexOf, setSegmentIndex } from './segment-index.ts'
import { readSegments, readSegmentsSince } from './segment-store.ts'

const size = 4
const { signal } = new AbortController()
const days = (n: number) => n * 86_400_000_000

async function openAppWithSmallSegments(setup: () => Promise<TestApp>): Promise<TestApp> {
  const app = await setup()
  setSegmentIndex(app.context.reads, new SegmentIndex(app.context.reads, size))
  return app
}

/** One event for each number: so many days ago. */
const sendEventsOfAge = (app: TestApp, ...ages: number[]) =>
  app.call(
    'POST',
    '/events',
    ages.map((age) => ({
      id: app.context.newId(),
      occurred: formatTime(app.context.clock.now() - days(age)),
      event: 'e',
      resource: { 'prefect.resource.id': `thing.${age}`, colour: 'red' },
      related: [{ 'prefect.resource.id': 'shared', 'prefect.resource.role': 'r' }],
      payload: { note: 'a treasure' },
    })),
  )

const readStoredSegments = (app: TestApp) =>
  app.context.reads.all<{ first: number; last: number; count: number }>(statement('select first, last, count from event_segment order by first'))

/** Removes events of this age and older. Returns how many. */
async function trim(app: TestApp, age: number): Promise<number> {
  const before = app.context.clock.now() - days(age)
  const segments = new SegmentTrimmer(app.context, before)
  let removed = 0
  for (let count = await segments.trimNext(); count !== undefined; count = await segments.trimNext()) removed += count
  return removed + (await app.context.commands.submit((tx) => trimTail(tx, before, 10)))
}

/** Filters that no index answers. */
const filters = [
  { resource: { id_prefix: ['thing.'] } },
  { resource: { labels: { colour: 'r*' } } },
  { any_resource: { id: ['shared'] } },
  { text: { query: 'treasure' } },
  { text: { query: 'RED' } },
]

async function expectTotals(app: TestApp, total: number): Promise<void> {
  for (const filter of filters) {
    const occurred = { since: '2029-06-01' }
    expect((await app.call('POST', '/events/filter', { filter: { ...filter, occurred } })).body.total, JSON.stringify(filter)).toBe(total)
    const counts = (await app.call('POST', '/events/count-by/event', { filter: { ...filter, occurred } })).body
    expect(counts.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(total)
  }
}

eachDialect('event segments', (setup) => {
  test('keeps in memory what queries use, and drops the rest', async () => {
    const app = await openAppWithSmallSegments(setup)
    const index = segmentIndexOf(app.context.reads)
    await sendEventsOfAge(app, 1, 2, 3, 4, 5, 6)
    while (await flushNextSegment(app.context, signal, size)) {}
    await expectTotals(app, 6)
    expect(index.sweep()).toBe(true)
    await expectTotals(app, 6)
    expect(index.sweep()).toBe(true)
    expect(index.sweep()).toBe(false)
    await expectTotals(app, 6)
  })

  test('returns the same results before, during and after segments are stored', async () => {
    const app = await openAppWithSmallSegments(setup)
    await sendEventsOfAge(app, 3, 2, 1, 0.5, 0.4, 0.3)
    await expectTotals(app, 6)
    expect(await flushNextSegment(app.context, signal, size)).toBe(true)
    expect(await flushNextSegment(app.context, signal, size)).toBe(false)
    expect(await readStoredSegments(app)).toMatchObject([{ count: 4 }])
    await expectTotals(app, 6)
    await sendEventsOfAge(app, 0.2, 0.1, 0)
    await expectTotals(app, 9)
    expect(await flushNextSegment(app.context, signal, size)).toBe(true)
    await expectTotals(app, 9)
  })

  test('stores events on both sides of a gap between their positions', async () => {
    const app = await openAppWithSmallSegments(setup)
    await sendEventsOfAge(app, ...Array.from({ length: 12 }, (_, n) => 12 - n))
    const [{ first }] = (await app.context.reads.all(statement('select min(position) as first from event'))) as [{ first: number }]
    await app.context.commands.submit((tx) => tx.run(statement('delete from event where position > $1 and position < $2'), [first, first + 8]))
    expect(await flushNextSegment(app.context, signal, size)).toBe(true)
    expect(await readStoredSegments(app)).toEqual([{ first, last: first + 10, count: 4 }])
    expect(await flushNextSegment(app.context, signal, size)).toBe(false)
    await sendEventsOfAge(app, 0)
    expect(await flushNextSegment(app.context, signal, 2)).toBe(true)
    expect(await readStoredSegments(app)).toMatchObject([{ count: 4 }, { first: first + 11, last: first + 12, count: 2 }])
  })

  test('reads the list of segments only as far as it has changed', async () => {
    const app = await openAppWithSmallSegments(setup)
    const { reads } = app.context
    await sendEventsOfAge(app, 9, 1, 8, 0.9, 0.8, 0.7, 0.6, 0.5)
    await flushNextSegment(app.context, signal, size)
    const one = await readSegmentsSince(reads, [])
    expect(one).toEqual(await readSegments(reads))
    expect(await readSegmentsSince(reads, one)).toBe(one)
    await flushNextSegment(app.context, signal, size)
    const two = await readSegmentsSince(reads, one)
    expect(two).toEqual(await readSegments(reads))
    expect(two[0]).toBe(one[0])
    // Replaces the first one.
    expect(await trim(app, 7)).toBe(2)
    const replaced = await readSegmentsSince(reads, two)
    expect(replaced).toEqual(await readSegments(reads))
    expect(replaced.map(({ count }) => count)).toEqual([2, 4])
  })

  test('adds up the counts of older segments', async () => {
    const app = await openAppWithSmallSegments(setup)
    const { reads, clock } = app.context
    const index = segmentIndexOf(reads)
    const ages = Array.from({ length: 140 }, (_, n) => 14 - n / 10)
    await sendEventsOfAge(app, ...ages)
    while (await flushNextSegment(app.context, signal, 1)) {}
    const all = { since: 0, until: clock.now() }
    const countIn = async (range: typeof all) => {
      const found = await index.summariesIn(range)
      const matching = found.flatMap(({ summary }) => summary).filter(({ oldest }) => oldest >= range.since && oldest <= range.until)
      return { segments: found.map(({ refs }) => refs.length), events: matching.reduce((sum, { count }) => sum + count, 0) }
    }
    // The ids of a group are 0 to 63, and so on.
    const groups = [63, 64, ...Array.from({ length: 13 }, () => 1)]
    expect(await countIn(all)).toEqual({ segments: groups, events: 140 })
    expect(await countIn(all)).toEqual({ segments: groups, events: 140 })
    // Cuts the first group.
    const recent = await countIn({ since: clock.now() - days(10.05), until: clock.now() })
    expect(recent).toEqual({ segments: [64, ...Array.from({ length: 13 + 23 }, () => 1)], events: 100 })
    expect(await trim(app, 13.05)).toBe(10)
    expect(await countIn(all)).toEqual({ segments: [53, ...groups.slice(1)], events: 130 })
    expect(index.sweep()).toBe(true)
    expect(index.sweep()).toBe(false)
    expect(await countIn(all)).toEqual({ segments: [53, ...groups.slice(1)], events: 130 })
    await expectTotals(app, 130)
  })

  test('uses segments of another server with other bounds', async () => {
    const app = await openAppWithSmallSegments(setup)
    await sendEventsOfAge(app, 3, 2, 1)
    await expectTotals(app, 3)
    // Another server stored smaller segments, so the unfinished segment of this one no longer follows the last stored one.
    expect(await flushNextSegment(app.context, signal, 2)).toBe(true)
    await sendEventsOfAge(app, 0)
    await expectTotals(app, 4)
  })

  test('hides removed events in stored and unstored segments', async () => {
    const app = await openAppWithSmallSegments(setup)
    await sendEventsOfAge(app, 9, 1, 8, 0.9)
    await sendEventsOfAge(app, 10, 0.8)
    await flushNextSegment(app.context, signal, size)
    await expectTotals(app, 6)
    expect(await trim(app, 7)).toBe(3)
    await expectTotals(app, 3)
    expect(await readStoredSegments(app)).toMatchObject([{ count: 2 }])
    expect(await trim(app, 0)).toBe(3)
    await expectTotals(app, 0)
    expect(await readStoredSegments(app)).toEqual([])
    await sendEventsOfAge(app, 0)
    await expectTotals(app, 1)
  })

  test('hides an event that is removed between the newest ones', async () => {
    const app = await openAppWithSmallSegments(setup)
    await sendEventsOfAge(app, 1, 9, 0.9)
    await expectTotals(app, 3)
    expect(await trim(app, 7)).toBe(1)
    await expectTotals(app, 2)
  })

  test('searches new events for a cached term', async () => {
    const app = await openAppWithSmallSegments(setup)
    const search = async (query: string) => (await app.call('POST', '/events/filter', { filter: { text: { query } } })).body.total
    await sendEventsOfAge(app, 5, 4, 3)
    expect([await search('treasure'), await search('treasure -red')]).toEqual([3, 0])
    await sendEventsOfAge(app, 2, 1, 0)
    expect([await search('treasure'), await search('Treasure'), await search('a')]).toEqual([6, 6, 6])
    await flushNextSegment(app.context, signal, size)
    expect(await search('treasure')).toBe(6)
    await trim(app, 3.5)
    expect([await search('treasure'), await search('+treasure +"thing.3"')]).toEqual([4, 1])
  })

  test('rebuilds a segment with another layout version from the events', async () => {
    const app = await openAppWithSmallSegments(setup)
    await sendEventsOfAge(app, 3, 2, 1, 0)
    await flushNextSegment(app.context, signal, size)
    await app.context.commands.submit((tx) =>
      tx.run(statement(`update event_segment_part set body = $1 where part not in ('ids', 'rows')`), [new Uint8Array(16).fill(7)]),
    )
    await expectTotals(app, 4)
  })

  test('does not store a segment when events were removed while it was built', async () => {
    const app = await openAppWithSmallSegments(setup)
    await sendEventsOfAge(app, 9, 3, 2, 1, 0)
    const { reads } = app.context
    let trimmed = false
    const slow = {
      ...app.context,
      reads: {
        dialect: reads.dialect,
        kysely: reads.kysely,
        replanning: reads.replanning,
        first: reads.first.bind(reads),
        all: async <R>(...[text, values]: Parameters<typeof reads.all>) => {
          const rows = await reads.all<R>(text, values)
          if (!trimmed && text.text(reads.dialect).includes('position >= $1')) {
            trimmed = true
            await trim(app, 7)
          }
          return rows
        },
      },
    }
    expect(await flushNextSegment(slow, signal, size)).toBe(false)
    expect(await readStoredSegments(app)).toEqual([])
    expect(await flushNextSegment(app.context, signal, size)).toBe(true)
    await expectTotals(app, 4)
  })
})
