import { setTimeout as pause } from 'node:timers/promises'
import { flowCount, flowName } from '../fixtures.ts'
import { type BenchContext, check, dayMs, isoTime, type User, type Workload } from '../workload.ts'

const batchSize = 100
const kinds = 10
/** A server that stores nothing more for this many polls has lost the rest. */
const stillPollsMax = 30
const pollMs = 250

/** 100 events with one request, a page of them, and counts. */
export function eventWorkloads(context: BenchContext): Workload[] {
  const { fixtures, stamp, setup } = context
  /** Changes with each measurement of the writes, so that only its own events count as stored. */
  let series = 0
  const prefixOf = () => `bench.${stamp}.${series}.`
  const filter = () => ({ occurred: { since: isoTime(Date.now() - dayMs), until: isoTime(Date.now() + dayMs) }, event: { prefix: [prefixOf()] } })
  let sent = 0
  let started = 0

  const write = async ({ http, number }: Pick<User, 'http' | 'number'>) => {
    const prefix = prefixOf()
    const occurred = isoTime(Date.now())
    const batch = Array.from({ length: batchSize }, (_, i) => ({
      id: context.newId(),
      occurred,
      event: `${prefix}kind-${i % kinds}`,
      resource: { 'prefect.resource.id': `bench.resource.${number}.${i}`, 'prefect.resource.name': `resource ${i}` },
      related: [
        {
          'prefect.resource.id': `prefect.flow.${fixtures.flowIds[i % flowCount]}`,
          'prefect.resource.role': 'flow',
          'prefect.resource.name': flowName(fixtures.prefix, i % flowCount),
        },
        { 'prefect.resource.id': `prefect.work-pool.${fixtures.poolId}`, 'prefect.resource.role': 'work-pool' },
      ],
      payload: { number: i, note: 'an event as an integration would send it', fields: { a: 1, b: 'two', c: [3] } },
    }))
    await http.raw('POST', '/events', batch)
    sent += batchSize
    return batchSize
  }
  const countVisible = async (): Promise<number> => {
    const counts: { count: number }[] = await setup.post('/events/count-by/event', { filter: filter() })
    return counts.reduce((sum, { count }) => sum + count, 0)
  }
  /** Waits until all sent events can be read, or no more appear. */
  const waitForVisible = async (): Promise<number> => {
    let [visible, last, still] = [await countVisible(), -1, 0]
    while (visible < sent && still < stillPollsMax) {
      await pause(pollMs)
      still = visible === last ? still + 1 : 0
      last = visible
      visible = await countVisible()
    }
    return visible
  }
  const ensureEvents = async () => {
    if (sent === 0) await write({ http: setup, number: 0 })
    await waitForVisible()
  }
  const query = (name: string, operation: Workload['operation']): Workload => ({
    name: `events.${name}`,
    unit: 'queries',
    isRead: true,
    prepare: ensureEvents,
    operation,
  })
  return [
    {
      name: 'events.write',
      unit: 'events',
      async prepare() {
        series += 1
        sent = 0
        started = performance.now()
      },
      operation: write,
      async finish() {
        const before = sent
        const visible = await waitForVisible()
        const seconds = (performance.now() - started) / 1000
        return { stored: { sent: before, visible, perSecond: Math.round(visible / seconds) } }
      },
    },
    query('filter', async ({ http }) => {
      const page: { events: { event: string }[]; total: number } = await http.post('/events/filter', { filter: filter(), limit: 50 })
      check(page.events.length === 50 && page.total >= 50, `${page.events.length} events of ${page.total}`)
      check(
        page.events.every(({ event }) => event.startsWith(prefixOf())),
        'an event that does not match the filter',
      )
    }),
    query('count_by_day', async ({ http }) => {
      const body = { filter: filter(), time_unit: 'day', time_interval: 1 }
      const counts: { count: number }[] = await http.post('/events/count-by/day', body)
      check(counts.reduce((sum, { count }) => sum + count, 0) >= batchSize, 'fewer events than were sent')
    }),
    query('count_by_event', async ({ http }) => {
      const counts: { value: string }[] = await http.post('/events/count-by/event', { filter: filter() })
      check(counts.length === kinds && counts.every(({ value }) => value.startsWith(prefixOf())), `${counts.length} kinds of events`)
    }),
  ]
}
