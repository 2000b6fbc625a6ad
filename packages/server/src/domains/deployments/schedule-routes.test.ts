import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'
import { migrationsOf } from '../../storage/migrate.ts'
import { statementsOf } from '../../storage/migration-steps.ts'

interface Schedule {
  id: string
  slug: string | null
  active: boolean
  parameters: object
  schedule: { cron: string }
}

async function createDeployment(app: TestApp, schedules: object[]): Promise<string> {
  const flow = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
  return (await app.call('POST', '/deployments/', { name: 'd', flow_id: flow, paused: true, schedules })).body.id
}

const daily = (hour: number, more: object = {}) => ({ schedule: { cron: `0 ${hour} * * *` }, ...more })
const schedules = async (app: TestApp, id: string): Promise<Schedule[]> => (await app.call('GET', `/deployments/${id}/schedules`)).body
const bySlug = async (app: TestApp, id: string) => Object.fromEntries((await schedules(app, id)).map(({ slug, schedule }) => [slug, schedule.cron]))

eachDialect('schedules of deployments', (setup, dialect) => {
  test('are addressed by slugs: others stay, some are renamed, two swap', async () => {
    const app = await setup()
    const id = await createDeployment(app, [daily(1, { slug: 'one' }), daily(2, { slug: 'two', parameters: { p: 2 } })])
    const patch = (list: object[]) => app.call('PATCH', `/deployments/${id}`, { schedules: list })
    const ids = Object.fromEntries((await schedules(app, id)).map(({ slug, id: of }) => [slug, of]))
    expect(
      (
        await patch([
          { slug: 'one', replaces: 'two' },
          { slug: 'two', replaces: 'one' },
        ])
      ).status,
    ).toBe(204)
    expect(await bySlug(app, id)).toEqual({ one: '0 2 * * *', two: '0 1 * * *' })
    expect(Object.fromEntries((await schedules(app, id)).map(({ slug, id: of }) => [slug, of]))).toEqual({ one: ids.two, two: ids.one })
    expect((await patch([daily(3, { slug: 'three' })])).status).toBe(204)
    expect(Object.keys(await bySlug(app, id)).sort()).toEqual(['one', 'three', 'two'])
    expect((await patch([{ slug: 'uno', replaces: 'one', active: false }])).status).toBe(204)
    expect((await schedules(app, id)).find(({ slug }) => slug === 'uno')).toMatchObject({ active: false, parameters: {} })
  })

  test.each([
    ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z'],
    ['2024-01-01T02:00:00+02:00', '2024-01-01T02:00:00+02:00'],
    ['2024-01-01T00:00:00.000000Z', '2024-01-01T00:00:00.000000Z'],
    ['2024-01-01T00:00:00.5-05:30', '2024-01-01T00:00:00.5-05:30'],
    // Not in the format of responses: a client that sends these does not compare texts.
    ['2024-01-01 02:00+02', '2024-01-01T00:00:00Z'],
    ['2024-01-01', '2024-01-01T00:00:00Z'],
  ])('returns the anchor %s as %s', async (anchor_date, returned) => {
    const app = await setup()
    const id = await createDeployment(app, [{ slug: 'one', schedule: { interval: 3600, anchor_date } }])
    const [created] = (await app.call('GET', `/deployments/${id}/schedules`)).body
    expect(created.schedule.anchor_date).toBe(returned)
    await app.call('PATCH', `/deployments/${id}/schedules/${created.id}`, { schedule: { interval: 60, anchor_date } })
    expect((await app.call('GET', `/deployments/${id}`)).body.schedules[0].schedule).toEqual({ interval: 60, anchor_date: returned, timezone: 'UTC' })
  })

  test('returns an anchor of an earlier version without its zero fraction', async () => {
    const app = await setup()
    const stored = '2024-01-01T00:00:00.000000Z'
    const id = await createDeployment(app, [{ schedule: { interval: 3600, anchor_date: stored } }, daily(1)])
    const up = migrationsOf(dialect).find(({ name }) => name === '034_anchors_as_sent')?.up ?? ''
    for (const text of statementsOf(up)) await app.context.commands.submit((tx) => tx.run({ text: () => text }))
    const found = (await app.call('GET', `/deployments/${id}/schedules`)).body as Schedule[]
    expect(found.map(({ schedule }) => schedule).toSorted((a) => ('cron' in a ? 1 : -1))).toEqual([
      { interval: 3600, anchor_date: '2024-01-01T00:00:00Z', timezone: 'UTC' },
      { cron: '0 1 * * *', timezone: null, day_or: true },
    ])
  })

  test('plans the runs of an anchor with an offset', async () => {
    const app = await setup()
    const id = await createDeployment(app, [{ schedule: { interval: 86_400, anchor_date: '2024-01-01T06:00:00+02:00' } }])
    await app.call('POST', `/deployments/${id}/schedule`, {})
    const runs = (await app.call('POST', '/flow_runs/filter', { sort: 'EXPECTED_START_TIME_ASC' })).body
    expect(runs[0].expected_start_time).toBe('2030-01-01T04:00:00Z')
    expect(runs[0].state.state_details.scheduled_time).toBe('2030-01-01T04:00:00Z')
  })

  test.each([
    ['no slug', [daily(5)]],
    ['a new slug without a schedule', [{ slug: 'five' }]],
    ['a name that is taken', [{ slug: 'two', replaces: 'one' }]],
    [
      'one becomes two',
      [
        { slug: 'x', replaces: 'one' },
        { slug: 'y', replaces: 'one' },
      ],
    ],
  ])('%s is refused', async (_name, list) => {
    const app = await setup()
    const id = await createDeployment(app, [daily(1, { slug: 'one' }), daily(2, { slug: 'two' })])
    expect((await app.call('PATCH', `/deployments/${id}`, { schedules: list })).status).toBe(422)
    expect(await bySlug(app, id)).toEqual({ one: '0 1 * * *', two: '0 2 * * *' })
  })

  test('without slugs are replaced by a list and keep their number of planned runs', async () => {
    const app = await setup()
    const id = await createDeployment(app, [daily(1), daily(2)])
    await app.call('PATCH', `/deployments/${id}`, { schedules: [daily(3, { max_scheduled_runs: 4 })] })
    expect(await schedules(app, id)).toMatchObject([{ schedule: { cron: '0 3 * * *' }, max_scheduled_runs: 4 }])
    await app.call('PATCH', `/deployments/${id}`, { description: 'x' })
    expect(await schedules(app, id)).toHaveLength(1)
    await app.call('PATCH', `/deployments/${id}`, { schedules: [] })
    expect(await schedules(app, id)).toEqual([])
  })

  test('use the default time zone after an update without one', async () => {
    const app = await setup()
    const id = await createDeployment(app, [{ schedule: { rrule: 'FREQ=DAILY', timezone: 'Asia/Tokyo' } }])
    const [{ id: schedule } = { id: '' }] = await schedules(app, id)
    await app.call('PATCH', `/deployments/${id}/schedules/${schedule}`, { schedule: { rrule: 'FREQ=DAILY', timezone: null } })
    expect(await schedules(app, id)).toMatchObject([{ schedule: { timezone: 'UTC' } }])
  })

  test('reject a duplicate slug from any request', async () => {
    const app = await setup()
    const id = await createDeployment(app, [daily(1, { slug: 'one' }), daily(2, { slug: 'two' })])
    expect((await app.call('POST', `/deployments/${id}/schedules`, [daily(3, { slug: 'one' })])).status).toBe(409)
    const two = (await schedules(app, id)).find(({ slug }) => slug === 'two') as Schedule
    expect((await app.call('PATCH', `/deployments/${id}/schedules/${two.id}`, { slug: 'one' })).status).toBe(409)
    expect((await app.call('PATCH', `/deployments/${id}/schedules/${two.id}`, { slug: 'two', active: false })).status).toBe(204)
  })
})
