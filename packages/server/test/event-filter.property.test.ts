import type { Countable, EventCount, ReceivedEvent, TimeUnit } from '@millrace/contracts/event.ts'
import type { EventFilter } from '@millrace/contracts/event-filter.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countEvents } from '../src/events/count-events.ts'
import { timeRangeOf, toCriteria } from '../src/events/criteria.ts'
import { findEvents } from '../src/events/find-events.ts'
import { matchesEvent } from '../src/events/match-event.ts'
import { SegmentIndex, setSegmentIndex } from '../src/events/segments/segment-index.ts'
import type { EventKey } from '../src/events/store.ts'
import type { ResourceLabels } from '../src/lib/event-record.ts'
import { writeJson } from '../src/lib/json.ts'
import { formatTime, toMicros } from '../src/lib/time.ts'
import { flushSegments } from '../src/services/event-segments.ts'
import type { Db } from '../src/storage/database.ts'
import { proofSize } from './proof-size.ts'
import { eachDialect, type Setup, type TestApp } from './setup.ts'

const names = ['apple.red', 'apple.green', 'apple', 'bread', 'Bread', 'Ärger']
const ids = ['thing.1', 'thing.2', 'thing.10', 'other.1', 'other_1', 'ü.1']
const roles = ['owner', 'guest']
const start = toMicros('2029-12-31T20:00:00Z')
const minutes = (n: number) => formatTime(start + n * 60_000_000)

interface SentEvent {
  readonly event: ReceivedEvent
  readonly position: number
}

/** Sixty varied events over four hours, sent out of order. */
async function seedEvents(app: TestApp): Promise<SentEvent[]> {
  const sent = Array.from({ length: 60 }, (_, i) => ({
    id: app.context.newId(),
    occurred: minutes((i * 37) % 240),
    event: names[i % names.length] as string,
    resource: {
      'prefect.resource.id': ids[(i * 5) % ids.length] as string,
      ...(i % 3 ? { 'prefect.resource.name': `name ${i}` } : {}),
      ...(i % 2 ? { colour: ['red', 'dark red', '50%', 'Red'][i % 4] as string } : {}),
    },
    related: ids
      .filter((_, bit) => (i >> bit) & 1)
      .map((id, n) => ({ 'prefect.resource.id': id, 'prefect.resource.role': roles[n % 2] as string, ...(i % 4 ? { size: String(n) } : {}) })),
    payload: {
      note: `Payload "${i}"`,
      deep: [{ word: i % 5 ? 'treasure' : 'nothing', amount: i * 1000, Größe: i % 7 }],
      // Too long for the search column.
      ...(i % 11 === 3 ? { text: `${'long '.repeat(2000)}END${i % 2}` } : {}),
    },
    follows: null,
  }))
  for (let from = 0; from < sent.length; from += 7) expect((await app.call('POST', '/events', sent.slice(from, from + 7))).status).toBe(204)
  return sent.map((event, index) => ({ event: { ...event, received: event.occurred }, position: index + 1 }))
}

const someOf = (...values: string[]) => fc.option(fc.uniqueArray(fc.constantFrom(...values), { maxLength: 2 }))
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 1 })
const prefixes = someOf('thing', 'thing.1', 'other', 'ü', 'x')
const patterns = fc.constantFrom('red', '*red', '?ed', '!red', 'dark*', '!dark*', '!*d', 'd*k*', 'r?d', '50%', 'R*', '*', 'nobody', '[r]ed')
const labels = fc.option(
  fc.dictionary(
    fc.constantFrom('colour', 'size', 'prefect.resource.id', 'a"b'),
    fc.oneof(patterns, fc.array(fc.oneof(patterns, fc.constantFrom('0', '1')), { maxLength: 2 })),
    {
      maxKeys: 2,
    },
  ),
  { freq: 2 },
)
const related = fc.record({
  id: someOf(...ids),
  role: someOf(...roles, 'nobody'),
  resources_in_roles: fc.option(fc.array(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...roles)), { maxLength: 2 }), { freq: 3 }),
  labels,
})
const anyResource = fc.record({ id: someOf(...ids), id_prefix: prefixes, labels })

const filters = (known: readonly SentEvent[]): fc.Arbitrary<EventFilter> =>
  fc
    .record({
      occurred: fc.record({ since: fc.integer({ min: -10, max: 200 }).map(minutes), until: fc.integer({ min: 20, max: 250 }).map(minutes) }),
      event: optional(
        fc.record({
          prefix: someOf('apple', 'apple.', 'B', 'Ä'),
          exclude_prefix: someOf('apple.g', 'x'),
          name: someOf(...names),
          exclude_name: someOf(...names),
        }),
      ),
      resource: optional(fc.record({ id: someOf(...ids), id_prefix: prefixes, labels, distinct: fc.boolean() })),
      related: optional(fc.oneof(related, fc.array(related, { maxLength: 2 }))),
      any_resource: optional(fc.oneof(anyResource, fc.array(anyResource, { maxLength: 2 }))),
      id: fc.record({ id: fc.option(fc.uniqueArray(fc.constantFrom(...known.map(({ event }) => event.id)), { maxLength: 4 }), { freq: 8 }) }),
      text: optional(
        fc.record({
          query: fc.oneof(
            fc.constantFrom('TREASURE', '-treasure', '+name +"payload \\"1"', 'red green', '   ', '100%', 'thing.1 -other'),
            fc.constantFrom(
              'treasure nothing',
              'GRÖSSE -größe',
              '"größe\\":3"',
              'amount',
              '"000,"',
              '1',
              '-END1',
              'end0',
              '+long -end',
              '"[{\\"word"',
              ':',
            ),
          ),
        }),
      ),
      order: fc.constantFrom('ASC' as const, 'DESC' as const),
    })
    .map((filter) => filter as EventFilter)

/** The model: checks each event by itself, then sorts. */
function filterEvents(known: readonly SentEvent[], filter: EventFilter, now: number): SentEvent[] {
  const criteria = toCriteria(filter, timeRangeOf(filter, now))
  const seen = known.filter(({ event }) =>
    matchesEvent(criteria, {
      ...event,
      occurred: toMicros(event.occurred),
      resource: event.resource as ResourceLabels,
      related: event.related as ResourceLabels[],
      text: `${event.event} ${JSON.stringify(event.resource)} ${JSON.stringify(event.related)} ${JSON.stringify(event.payload)}`.toLowerCase(),
    }),
  )
  const sign = filter.order === 'ASC' ? 1 : -1
  seen.sort((a, b) => sign * (toMicros(a.event.occurred) - toMicros(b.event.occurred) || a.position - b.position))
  if (!filter.resource?.distinct) return seen
  const first = new Map<string, SentEvent>()
  for (const one of seen) if (!first.has(resourceIdOf(one))) first.set(resourceIdOf(one), one)
  return [...first.values()]
}

const resourceIdOf = ({ event }: SentEvent): string => event.resource['prefect.resource.id'] as string

/** The same database with segments so small that each query reads many of them. */
function withSmallSegments(db: Db, size: number): Db {
  const same: Db = {
    dialect: db.dialect,
    kysely: db.kysely,
    replanning: db.replanning,
    all: (statement, values) => db.all(statement, values),
    first: (statement, values) => db.first(statement, values),
  }
  setSegmentIndex(same, new SegmentIndex(same, size))
  return same
}

/** The events in memory, and in stored segments except for the last twelve. Their rows are gone from the table. */
async function seedBoth(setup: Setup): Promise<{ known: SentEvent[]; now: number; databases: Db[] }> {
  const app = await setup()
  const known = await seedEvents(app)
  const flushed = await setup()
  await seedEvents(flushed)
  expect(await flushSegments(flushed.context, new AbortController().signal, 16)).toBe(3)
  return { known, now: app.context.clock.now(), databases: [app.context.reads, withSmallSegments(app.context.reads, 7), flushed.context.reads] }
}

async function readAllPages(db: Db, filter: EventFilter, now: number, limit: number): Promise<{ positions: number[]; total: number }> {
  const criteria = toCriteria(filter, timeRangeOf(filter, now))
  const positions: number[] = []
  let total: number | undefined
  for (let after: EventKey | undefined; ; ) {
    const found = await findEvents(db, criteria, { limit, ...(after ? { after } : {}), ...(total === undefined ? {} : { total }) })
    total ??= found.total
    positions.push(...found.keys.map(({ position }) => position))
    after = found.keys.at(-1)
    if (found.keys.length < limit) return { positions, total }
  }
}

eachDialect('filters of events', (setup, dialect) => {
  test('find the same events as the model, page by page, in the table and in segments', { timeout: 120_000 }, async () => {
    const { known, now, databases } = await seedBoth(setup)
    await fc.assert(
      fc.asyncProperty(filters(known), fc.integer({ min: 1, max: 20 }), async (filter, limit) => {
        const wanted = filterEvents(known, filter, now).map(({ position }) => position)
        for (const db of databases) {
          expect(await readAllPages(db, filter, now, limit)).toEqual({ positions: wanted, total: wanted.length })
        }
      }),
      { numRuns: dialect === 'sqlite' ? 250 : proofSize(80, 250), seed: 11 },
    )
  })

  test('count the same events as the model', { timeout: 120_000 }, async () => {
    const { known, now, databases } = await seedBoth(setup)
    const buckets = fc.record({ unit: fc.constantFrom<TimeUnit>('hour', 'minute', 'day', 'week'), interval: fc.constantFrom(1, 2, 0.25, 0.5) })
    await fc.assert(
      fc.asyncProperty(filters(known), fc.constantFrom<Countable>('event', 'resource', 'time', 'day'), buckets, async (filter, countable, span) => {
        const plain = { ...filter, resource: filter.resource && { ...filter.resource, distinct: false } } as EventFilter
        const counted = filterEvents(known, { ...plain, order: 'ASC' }, now)
        for (const db of databases) {
          const answer = await countEvents(db, toCriteria(filter, timeRangeOf(filter, now)), countable, span, now)
          const counts: EventCount[] = JSON.parse(writeJson(answer))
          if (countable === 'event') expect(sorted(counts)).toEqual(countByKey(counted, ({ event }) => event.event))
          else if (countable === 'resource') expect(sorted(counts)).toEqual(countByKey(counted, resourceIdOf))
          else expect(counts.map(({ count }) => count)).toEqual(counts.map((count) => countInBucket(counted, count)))
          // A bucket that starts at the last instant of the range is not listed.
          const end = counts.at(-1)?.end_time ?? ''
          const listed = counted.filter(({ event }) => event.occurred <= end)
          if (countable === 'time' || countable === 'day') expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(listed.length)
        }
      }),
      { numRuns: dialect === 'sqlite' ? 200 : proofSize(60, 200), seed: 12 },
    )
  })
})

const sorted = (counts: readonly EventCount[]) =>
  counts.map(({ value, label, count, start_time, end_time }) => ({ value, label, count, start_time, end_time })).sort(byValue)

const byValue = (a: { value: string }, b: { value: string }) => (a.value < b.value ? -1 : 1)

/** Counts by key, labelled with the latest name. */
function countByKey(known: readonly SentEvent[], keyOf: (one: SentEvent) => string) {
  const groups = new Map<string, SentEvent[]>()
  for (const one of known) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return [...groups]
    .map(([value, group]) => ({
      value,
      label: keyOf === resourceIdOf ? ((group.at(-1) as SentEvent).event.resource['prefect.resource.name'] ?? value) : value,
      count: group.length,
      start_time: (group[0] as SentEvent).event.occurred,
      end_time: (group.at(-1) as SentEvent).event.occurred,
    }))
    .sort(byValue)
}

const countInBucket = (known: readonly SentEvent[], { start_time, end_time }: EventCount): number =>
  known.filter(({ event }) => event.occurred >= start_time && event.occurred <= end_time).length
