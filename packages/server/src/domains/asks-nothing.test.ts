import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../test/setup.ts'

const names = async (app: TestApp, noun: string, filter: object): Promise<string[]> =>
  (await app.call('POST', `/${noun}/filter`, { [noun]: filter, sort: 'NAME_ASC' })).body.map(({ name }: { name: string }) => name)

eachDialect('a criterion that asks nothing', (setup) => {
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

  test('finds everything where one criterion is enough', async () => {
    const app = await seeded()
    const named = { operator: 'or_', name: { any_: ['a'] } }
    const idle = [{ id: {} }, { id: { not_any_: [] } }, { tags: { all_: [], operator: 'or_' } }, { start_time: { before_: null } }]
    for (const criterion of [...idle, { state: { type: {} } }, { id: { any_: null } }]) {
      expect(await names(app, 'flow_runs', { ...named, ...criterion }), JSON.stringify(criterion)).toEqual(['a', 'b'])
    }
    expect(await names(app, 'task_runs', { ...named, expected_start_time: {} })).toEqual(['a', 'b'])
    expect(await names(app, 'deployments', { ...named, flow_or_deployment_name: { like_: '' } })).toEqual(['a', 'b'])
  })

  test('changes nothing where all have to hold, when it is null, or when what it asks finds nothing', async () => {
    const app = await seeded()
    expect(await names(app, 'flow_runs', { name: { any_: ['a'] }, id: {}, state: { type: {} } })).toEqual(['a'])
    expect(await names(app, 'flow_runs', { operator: 'or_', name: { any_: ['a'] }, id: null })).toEqual(['a'])
    expect(await names(app, 'flow_runs', { operator: 'or_', name: { any_: ['a'] }, id: { any_: [] } })).toEqual(['a'])
    expect(await names(app, 'flow_runs', { operator: 'or_', name: { any_: ['none'] }, parameters: { matches_: { missing: null } } })).toEqual([])
    expect(await names(app, 'deployments', { operator: 'or_', name: { any_: ['a'] }, concurrency_limit: {} })).toEqual(['a'])
  })
})
