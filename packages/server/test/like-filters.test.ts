import { expect, test } from 'vitest'
import { seedBlockType } from './blocks.ts'
import { eachDialect, type TestApp } from './setup.ts'

/** One name has each of the characters that are wildcards or escapes in SQL, and one has other characters in their place. */
const names = ['a_bc', 'axbc', 'a\\bc', 'A_BC-2', '50+abc'] as const

const expected: readonly [like: string, found: readonly string[]][] = [
  ['a_bc', ['A_BC-2', 'a_bc']],
  ['_', ['A_BC-2', 'a_bc']],
  ['\\', ['a\\bc']],
  ['a\\bc', ['a\\bc']],
  ['a\\_bc', []],
  ['a%bc', ['50+abc', 'A_BC-2', 'a\\bc', 'a_bc', 'axbc']],
  ['A%c-2', ['A_BC-2']],
  ['\\%', ['a\\bc']],
  ['a__c', []],
]

const listed = (rows: readonly Record<string, string>[], field = 'name') => rows.map((row) => row[field] as string).sort()

eachDialect('a part of a name', (setup) => {
  async function check(app: TestApp, path: string, filter: (like_: string) => object, created: readonly string[] = names, field = 'name') {
    for (const [like, found] of expected) {
      const { body } = await app.call('POST', path, filter(like))
      expect([path, like, listed(body, field)]).toEqual([path, like, found.filter((name) => created.includes(name))])
    }
  }

  test('has `%` as its only wildcard, for everything that is found by it', async () => {
    const app = await setup()
    const flows = await Promise.all(names.map(async (name) => (await app.call('POST', '/flows/', { name })).body.id as string))
    const flow_id = flows[0] as string
    for (const name of names) {
      const { body: run } = await app.call('POST', '/flow_runs/', { flow_id, name })
      await app.call('POST', '/task_runs/', { flow_run_id: run.id, task_key: name, dynamic_key: '0', name })
      await app.call('POST', '/deployments/', { flow_id, name })
      await app.call('POST', '/block_types/', { name, slug: name.toLowerCase().replaceAll(/[^a-z]/g, '') + names.indexOf(name) })
      const { body: pool } = await app.call('POST', '/work_pools/', { name })
      expect(pool.name).toBe(name)
      await app.call('POST', '/work_queues/', { name })
    }
    await check(app, '/flows/filter', (like_) => ({ flows: { name: { like_ } } }))
    await check(app, '/flow_runs/filter', (like_) => ({ flow_runs: { name: { like_ } } }))
    await check(app, '/flow_runs/filter', (like_) => ({ flow_runs: { name: { like_ }, tags: { is_null_: true } } }))
    await check(app, '/task_runs/filter', (like_) => ({ task_runs: { name: { like_ } } }))
    await check(app, '/task_runs/filter', (like_) => ({ flow_runs: { name: { like_ } } }))
    await check(app, '/deployments/filter', (like_) => ({ deployments: { name: { like_ } } }))
    await check(app, '/block_types/filter', (like_) => ({ block_types: { name: { like_ } } }))
    for (const [like, found] of expected) {
      expect((await app.call('POST', '/flow_runs/count', { flow_runs: { name: { like_: like } } })).body).toBe(found.length)
    }
    const byFlow = (like_: string) => app.call('POST', '/deployments/filter', { deployments: { flow_or_deployment_name: { like_ } } })
    expect((await byFlow('a_b')).body).toHaveLength(5)
    expect(listed((await byFlow('a\\b')).body)).toEqual(['a\\bc'])
    const byPrefix = async (prefix: string) =>
      listed((await app.call('POST', '/work_queues/filter', { work_queues: { name: { startswith_: [prefix] } } })).body)
    expect([await byPrefix('a_'), await byPrefix('a\\'), await byPrefix('%+'), await byPrefix('a%c-')]).toEqual([
      ['A_BC-2', 'a_bc'],
      ['a\\bc'],
      ['50+abc'],
      ['A_BC-2'],
    ])
    const { body } = await app.call('POST', '/flows/bulk_delete', { flows: { name: { like_: 'a_b' } } })
    expect(body.deleted.length).toBe(2)
  })

  test('has no wildcard where names have neither `_` nor `\\`, or have only one', async () => {
    const app = await setup()
    for (const name of ['a_bc', 'axbc']) await app.call('POST', '/variables/', { name, value: 1 })
    const { create } = await seedBlockType(app, 'part', { title: 'Part', properties: {} })
    await create('a-bc', {})
    await app.call('POST', '/artifacts/', { key: 'a-bc', data: 1 })
    await check(app, '/variables/filter', (like_) => ({ variables: { name: { like_ } } }), ['a_bc', 'axbc'])
    for (const [path, name, field] of [
      ['/block_documents/filter', 'block_documents', 'name'],
      ['/artifacts/filter', 'artifacts', 'key'],
      ['/artifacts/latest/filter', 'artifacts', 'key'],
    ] as const) {
      const found = async (like_: string) => listed((await app.call('POST', path, { [name]: { [field]: { like_ } } })).body, field)
      expect([path, await found('a_bc'), await found('a%bc'), await found('a\\')]).toEqual([path, [], ['a-bc'], []])
    }
  })
})
