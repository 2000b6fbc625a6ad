import { expect, test } from 'vitest'
import { seedBlockType } from '../../test/blocks.ts'
import { eachDialect, type TestApp } from '../../test/setup.ts'

const names = async (app: TestApp, noun: string, filter: object): Promise<string[]> =>
  (await app.call('POST', `/${noun}/filter`, { [noun]: filter, sort: 'NAME_ASC' })).body.map(({ name }: { name: string }) => name)

eachDialect('an empty criterion', (setup) => {
  async function seeded(): Promise<TestApp> {
    const app = await setup()
    const flow_id = (await app.call('POST', '/flows/', { name: 'f' })).body.id
    for (const name of ['a', 'b']) {
      await app.call('POST', '/flow_runs/', { flow_id, name, parameters: { n: null } })
      await app.call('POST', '/deployments/', { flow_id, name })
      await app.call('POST', '/task_runs/', { task_key: name, dynamic_key: '0', name })
    }
    return app
  }

  test('matches everything with or_', async () => {
    const app = await seeded()
    const named = { operator: 'or_', name: { any_: ['a'] } }
    const idle = [{ id: {} }, { id: { not_any_: [] } }, { tags: { all_: [], operator: 'or_' } }, { start_time: { before_: null } }]
    for (const criterion of [...idle, { state: { type: {} } }, { id: { any_: null } }]) {
      expect(await names(app, 'flow_runs', { ...named, ...criterion }), JSON.stringify(criterion)).toEqual(['a', 'b'])
    }
    expect(await names(app, 'task_runs', { ...named, expected_start_time: {} })).toEqual(['a', 'b'])
    expect(await names(app, 'task_runs', { ...named, state: { operator: 'or_', type: {}, name: {} } })).toEqual(['a', 'b'])
    expect(await names(app, 'deployments', { ...named, flow_or_deployment_name: { like_: '' } })).toEqual(['a', 'b'])
  })

  test('changes nothing with and_, if it is null, or if it is a list that matches nothing', async () => {
    const app = await seeded()
    expect(await names(app, 'flow_runs', { name: { any_: ['a'] }, id: {}, state: { type: {} } })).toEqual(['a'])
    expect(await names(app, 'flow_runs', { operator: 'or_', name: { any_: ['a'] }, id: null })).toEqual(['a'])
    expect(await names(app, 'flow_runs', { operator: 'or_', name: { any_: ['a'] }, id: { any_: [] } })).toEqual(['a'])
    expect(await names(app, 'flow_runs', { operator: 'or_', name: { any_: ['none'] }, parameters: { matches_: { missing: null } } })).toEqual([])
    expect(await names(app, 'deployments', { operator: 'or_', name: { any_: ['a'] }, concurrency_limit: {} })).toEqual(['a'])
  })

  test('is ignored within a state filter that has another criterion', async () => {
    const app = await seeded()
    const failed = { operator: 'or_', type: { any_: ['FAILED'] } }
    for (const noun of ['flow_runs', 'task_runs']) {
      expect(await names(app, noun, { state: { ...failed, name: {} } })).toEqual([])
      expect((await app.call('POST', `/${noun}/count`, { [noun]: { state: { ...failed, name: {} } } })).body).toBe(0)
    }
    expect(await names(app, 'flow_runs', { state: { ...failed, name: { not_any_: [] } } })).toEqual([])
  })

  test('works for logs, variables, artifacts, blocks and automations', async () => {
    const app = await setup()
    await app.call('POST', '/variables/', { name: 'a', value: 1 })
    await app.call('POST', '/artifacts/', { key: 'a', data: 1 })
    await app.call('POST', '/logs/', [{ name: 'l', level: 20, message: 'm', timestamp: '2030-01-01T00:00:00Z' }])
    await app.call('POST', '/automations/', { name: 'a', trigger: { type: 'event', posture: 'Reactive' }, actions: [{ type: 'do-nothing' }] })
    await seedBlockType(app, 'a', {})
    const missingId = '00000000-0000-4000-8000-000000000000'
    const found = async (path: string, noun: string, missed: object, idle: object) => {
      const countMatches = async (filter: object) => (await app.call('POST', path, { [noun]: { operator: 'or_', ...filter } })).body.length
      return [await countMatches(missed), await countMatches({ ...missed, ...idle })]
    }
    expect(await found('/variables/filter', 'variables', { name: { any_: ['x'] } }, { id: {} })).toEqual([0, 1])
    expect(await found('/artifacts/filter', 'artifacts', { key: { any_: ['x'] } }, { type: {} })).toEqual([0, 1])
    expect(await found('/logs/filter', 'logs', { level: { ge_: 50 } }, { text: { query: '' } })).toEqual([0, 1])
    expect(await found('/automations/filter', 'automations', { name: { any_: ['x'] } }, { created: {} })).toEqual([0, 1])
    expect(await found('/block_schemas/filter', 'block_schemas', { id: { any_: [missingId] } }, { version: {} })).toEqual([0, 1])
  })
})
