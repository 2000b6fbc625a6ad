import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

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

eachDialect('schedules of deployments', (setup) => {
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
