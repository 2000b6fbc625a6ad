import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../setup.ts'

const list = (count: number, value: (index: number) => unknown = (index) => `v${index}`) => Array.from({ length: count }, (_, index) => value(index))

/** Each criterion that takes a list: where it is asked for, and the most values that it takes. */
const criteria: readonly [path: string, place: string, max: number, value?: (index: number) => unknown][] = [
  ['/flow_runs/filter', 'flow_runs.tags.all_', 1000],
  ['/flow_runs/filter', 'flow_runs.tags.any_', 10_000],
  ['/flow_runs/filter', 'flow_runs.name.any_', 10_000],
  ['/flow_runs/filter', 'flow_runs.state.name.not_any_', 10_000],
  ['/flow_runs/count', 'flow_runs.tags.all_', 1000],
  ['/flow_runs/filter', 'task_runs.tags.all_', 1000],
  ['/task_runs/filter', 'task_runs.tags.all_', 1000],
  ['/flows/filter', 'flows.tags.all_', 1000],
  ['/deployments/filter', 'deployments.tags.all_', 1000],
  ['/variables/filter', 'variables.tags.all_', 1000],
  ['/block_schemas/filter', 'block_schemas.block_capabilities.all_', 1000],
  ['/work_queues/filter', 'work_queues.name.startswith_', 1000],
  ['/events/filter', 'filter.event.prefix', 1000],
  ['/events/filter', 'filter.event.exclude_prefix', 1000],
  ['/events/filter', 'filter.event.name', 10_000],
  ['/events/filter', 'filter.resource.id', 10_000],
  ['/events/filter', 'filter.resource.id_prefix', 1000],
  ['/events/filter', 'filter.any_resource.id_prefix', 1000],
  ['/events/filter', 'filter.related.resources_in_roles', 1000, (index) => [`id${index}`, 'role']],
  ['/events/filter', 'filter.resource.labels.some', 1000],
  ['/events/filter', 'filter.related', 50, (index) => ({ id: [`id${index}`] })],
  ['/events/count-by/event', 'filter.event.prefix', 1000],
  ['/events/count-by/time', 'filter.event.exclude_prefix', 1000],
]

const bodyOf = (place: string, value: unknown): object => place.split('.').reduceRight((inner, key) => ({ [key]: inner }), value) as object

eachDialect('filters of many values', (setup) => {
  test('are accepted up to a limit and rejected with their location above it', async () => {
    const app = await setup()
    await seedOfEverything(app)
    for (const [path, place, max, value] of criteria) {
      const answer = await app.call('POST', path, bodyOf(place, list(max, value)))
      expect([path, place, answer.status, answer.body.detail]).toEqual([path, place, 200, undefined])
      const beyond = await app.call('POST', path, bodyOf(place, list(max + 1, value)))
      expect([path, place, beyond.status]).toEqual([path, place, 422])
      expect(beyond.body.detail).toContainEqual(
        expect.objectContaining({ loc: ['body', ...place.split('.')], type: 'too_long', ctx: { max_length: max, actual_length: max + 1 } }),
      )
    }
  })

  test('find the same as a few values', async () => {
    const app = await setup()
    await seedOfEverything(app)
    const found = async (path: string, place: string, values: unknown[]) => {
      const { body } = await app.call('POST', path, bodyOf(place, values))
      return (body.events ?? body).length as number
    }
    const tags = list(20)
    for (const path of ['/flow_runs/filter', '/flows/filter', '/variables/filter']) {
      const place = `${path.split('/')[1]}.tags.all_`
      expect([path, await found(path, place, tags)]).toEqual([path, 1])
      expect([path, await found(path, place, [...tags, ...tags])]).toEqual([path, 1])
      expect([path, await found(path, place, [...tags, 'another'])]).toEqual([path, 0])
      expect([path, await found(path, place, tags.slice(0, 3))]).toEqual([path, 1])
    }
    expect(await found('/work_queues/filter', 'work_queues.name.startswith_', [...list(20), 'DEF'])).toBe(1)
    expect(await found('/work_queues/filter', 'work_queues.name.startswith_', list(20))).toBe(0)
    expect(await found('/work_queues/filter', 'work_queues.name.startswith_', ['ü', 'DEF'])).toBe(1)
    const others = list(20)
    expect(await found('/events/filter', 'filter.event.prefix', [...others, 'mine.'])).toBe(2)
    expect(await found('/events/filter', 'filter.event.prefix', others)).toBe(0)
    expect(await found('/events/filter', 'filter.event', { prefix: ['mine.'], exclude_prefix: [...others, 'mine.a'] } as never)).toBe(1)
    expect(await found('/events/filter', 'filter.resource', { id: [...others, 'thing.1'], id_prefix: [...others, 'thing.'] } as never)).toBe(2)
    expect(await found('/events/filter', 'filter.resource', { id: [...others, 'thing.1'], id_prefix: [...others, 'other.'] } as never)).toBe(0)
    const pairs = others.map((id) => [id, 'x'])
    expect(await found('/events/filter', 'filter.related.resources_in_roles', [...pairs, ['helper', 'x']])).toBe(2)
    expect(await found('/events/filter', 'filter.related.resources_in_roles', [...pairs, ['helper', 'y']])).toBe(0)
    const { body: counted } = await app.call('POST', '/events/count-by/event', { filter: { event: { prefix: [...others, 'mine.'] } } })
    expect(counted.map(({ value }: { value: string }) => value).sort()).toEqual(['mine.a', 'mine.b'])
  })
})

/** One of each, with twenty tags. */
async function seedOfEverything(app: TestApp): Promise<void> {
  const tags = list(20)
  const { body: flow } = await app.call('POST', '/flows/', { name: 'f', tags })
  await app.call('POST', '/flow_runs/', { flow_id: flow.id, tags })
  await app.call('POST', '/variables/', { name: 'v', value: 1, tags })
  await app.call('POST', '/work_pools/', { name: 'p', type: 'process' })
  const event = (name: string) => ({
    id: app.context.newId(),
    occurred: new Date(app.clock.now() / 1000).toISOString(),
    event: name,
    resource: { 'prefect.resource.id': 'thing.1' },
    related: [{ 'prefect.resource.id': 'helper', 'prefect.resource.role': 'x' }],
  })
  await app.call('POST', '/events', [event('mine.a'), event('mine.b')])
}
