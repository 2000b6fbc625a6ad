import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

eachDialect('a search by parameters', (setup, dialect) => {
  const runs: Record<string, string> = {
    plain: '{"region": "eu", "size": 1, "dry": true, "note": null}',
    text: '{"region": "1", "size": "1", "dry": "true"}',
    real: '{"region": "us", "size": 1.0, "dry": 1}',
    deep: '{"options": {"full": false, "tables": ["a", "b"]}, "list": {"0": "x"}}',
    longer: '{"options": {"full": false, "tables": ["a", "b", "c"]}, "list": ["x"]}',
    large: '{"size": 12345678901234567890, "a\\"b": {"": 1}, "$.x": 2}',
    nul: '{"odd": "\\u0000"}',
  }

  async function seed(app: TestApp): Promise<string> {
    const { id } = (await app.call('POST', '/flows/', { name: 'f' })).body
    for (const [name, parameters] of Object.entries(runs)) {
      const text = `{"flow_id": "${id}", "name": "${name}", "parameters": ${parameters}}`
      await app.server.inject({ method: 'POST', url: '/api/flow_runs/', headers: { 'content-type': 'application/json' }, payload: text })
    }
    return id
  }

  /** The filter as text, so that its numbers stay as they are written. */
  const find = async (app: TestApp, wanted: string, more = ''): Promise<{ names: string[]; count: number }> => {
    const ask = (path: string, rest: string) =>
      app.server.inject({
        method: 'POST',
        url: `/api/flow_runs/${path}`,
        headers: { 'content-type': 'application/json' },
        payload: `{"flow_runs": {"parameters": {"matches_": ${wanted}}${more}}${rest}}`,
      })
    const listed = (await ask('filter', ', "sort": "NAME_ASC"')).json() as { name: string }[]
    return { names: listed.map(({ name }) => name), count: (await ask('count', '')).json() }
  }

  test('finds what holds every value that is asked for, each of its own kind', async () => {
    const app = await setup()
    await seed(app)
    const cases: [string, string[]][] = [
      ['{"size": 1}', ['plain', 'real']],
      ['{"size": "1"}', ['text']],
      ['{"dry": true}', ['plain']],
      ['{"dry": 1}', ['real']],
      ['{"note": null}', ['plain']],
      ['{"region": "us", "size": 1}', ['real']],
      ['{"region": "nowhere"}', []],
      ['{"options": {"full": false}}', ['deep', 'longer']],
      ['{"options": {"tables": ["a", "b"]}}', ['deep']],
      ['{"options": {}}', ['deep', 'longer']],
      ['{"list": {"0": "x"}}', ['deep']],
      ['{"list": ["x"]}', ['longer']],
      ['{"a\\"b": {"": 1}}', ['large']],
      ['{"$.x": 2}', ['large']],
      ['{"odd": "\\u0000"}', dialect === 'sqlite' ? ['nul'] : []],
    ]
    for (const [wanted, names] of cases) expect([wanted, await find(app, wanted)]).toEqual([wanted, { names, count: names.length }])
  })

  test('stands beside other filters, joined as they say', async () => {
    const app = await setup()
    await seed(app)
    expect((await find(app, '{"size": 1}', ', "name": {"any_": ["real", "deep"]}')).names).toEqual(['real'])
    expect((await find(app, '{"size": 1}', ', "name": {"any_": ["real", "deep"]}, "operator": "or_"')).names).toEqual(['deep', 'plain', 'real'])
  })

  test('asks for so many values at most', async () => {
    const app = await setup()
    const matches_ = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`p${index}`, index]))
    const { status, body } = await app.call('POST', '/flow_runs/filter', { flow_runs: { parameters: { matches_ } } })
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'flow_runs', 'parameters', 'matches_']])
  })
})
