import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

eachDialect('runs by state and by pool', (setup) => {
  interface Made {
    readonly name: string
    readonly type: string
    readonly state: string
    readonly pool: string
  }

  async function seed(app: TestApp): Promise<Made[]> {
    const flow = (await app.call('POST', '/flows/', { name: 'f' })).body
    const made: Made[] = []
    const states = [
      ['SCHEDULED', 'Late'],
      ['SCHEDULED', 'Scheduled'],
      ['COMPLETED', 'Completed'],
      ['COMPLETED', 'Cached'],
      ['FAILED', 'Failed'],
      ['RUNNING', 'Running'],
    ] as const
    for (const pool of ['left', 'right']) {
      await app.call('POST', '/work_pools/', { name: pool, type: 'process' })
      const deployment = (await app.call('POST', '/deployments/', { name: pool, flow_id: flow.id, work_pool_name: pool })).body
      for (const [index, [type, name]] of states.entries()) {
        const run = { name: `${pool}-${index}`, state: { type: 'SCHEDULED', state_details: { scheduled_time: `2029-12-0${index + 1}T00:00:00Z` } } }
        const { id } = (await app.call('POST', `/deployments/${deployment.id}/create_flow_run`, run)).body
        await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type, name }, force: true })
        made.push({ name: run.name, type, state: name, pool })
      }
    }
    return made
  }

  const late = ({ state }: Made) => state === 'Late'
  const cases: [object, (run: Made) => boolean][] = [
    [{ flow_runs: { state: { name: { any_: ['Late'] } } } }, late],
    [
      { flow_runs: { state: { operator: 'or_', type: { any_: ['FAILED'] }, name: { any_: ['Late'] } } } },
      (run) => late(run) || run.type === 'FAILED',
    ],
    [{ flow_runs: { state: { type: { any_: ['SCHEDULED'] }, name: { not_any_: ['Late'] } } } }, ({ state }) => state === 'Scheduled'],
    [{ flow_runs: { state: { type: { any_: ['COMPLETED', 'RUNNING'] } } } }, ({ type }) => type === 'COMPLETED' || type === 'RUNNING'],
    [{ flow_runs: { state: { type: { any_: [] } } } }, () => false],
    [{ flow_runs: { state: { type: { not_any_: ['COMPLETED'] } } } }, ({ type }) => type !== 'COMPLETED'],
    [{ flow_runs: { state: { name: { any_: ['Nowhere'] } } } }, () => false],
    [{ work_pools: { name: { any_: ['left'] } } }, ({ pool }) => pool === 'left'],
    [{ work_pools: { name: { any_: ['left', 'right'] } } }, () => true],
    [{ work_pools: { name: { any_: ['gone'] } } }, () => false],
    [{ work_pools: { name: { any_: ['right'] } }, flow_runs: { state: { name: { any_: ['Late'] } } } }, (run) => late(run) && run.pool === 'right'],
  ]

  test('are listed in order and counted', async () => {
    const app = await setup()
    const made = await seed(app)
    for (const [filter, isMeant] of cases) {
      const meant = made.filter(isMeant).map(({ name }) => name)
      for (const [sort, way] of [
        ['EXPECTED_START_TIME_ASC', 1],
        ['EXPECTED_START_TIME_DESC', -1],
      ] as const) {
        const listed: { name: string; expected_start_time: string }[] = (await app.call('POST', '/flow_runs/filter', { ...filter, sort })).body
        expect([filter, listed.map(({ name }) => name).sort()]).toEqual([filter, meant.sort()])
        const times = listed.map(({ expected_start_time }) => expected_start_time)
        expect(times).toEqual([...times].sort((one, other) => (one < other ? -way : one > other ? way : 0)))
      }
      expect([filter, (await app.call('POST', '/flow_runs/count', filter)).body]).toEqual([filter, meant.length])
    }
  })

  test('are counted up to the given maximum', async () => {
    const app = await setup()
    await seed(app)
    const counts = [{}, { flow_runs: { state: { type: { any_: ['COMPLETED', 'FAILED'] } } } }, { flow_runs: { name: { like_: '-' } } }]
    for (const filter of counts) {
      expect((await app.call('POST', '/flow_runs/count', { ...filter, count_up_to: 3 })).body).toBe(3)
      expect((await app.call('POST', '/flow_runs/count', { ...filter, count_up_to: 100 })).body).toBeGreaterThan(3)
    }
  })
})
