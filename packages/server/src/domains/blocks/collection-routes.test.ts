import { expect, test } from 'vitest'
import { eachDialect } from '../../../test/setup.ts'
import { SchemaChecker } from '../../schemas/schema-checker.ts'
import { collectionView } from './collection-routes.ts'
import { allWorkers } from './worker-types/all-workers.ts'

interface Template {
  readonly job_configuration: object
  readonly variables: { readonly properties: Record<string, { default?: unknown }>; readonly required?: readonly string[] }
}
const templates = allWorkers.map(({ metadata }) => [metadata.type, metadata.default_base_job_configuration as Template] as const)

test.each(templates)('%s: every variable of the job is defined and none is left over', (_type, { job_configuration, variables }) => {
  const used = [...JSON.stringify(job_configuration).matchAll(/\{\{ (\w+) \}\}/g)].map((match) => match[1])
  expect([...new Set(used)].sort()).toEqual(Object.keys(variables.properties).sort())
})

test.each(templates)('%s: the defaults are good values', (_type, { variables }) => {
  const defaults = Object.entries(variables.properties).flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]]))
  const required = (variables.required ?? []).map((name) => [name, 'x'])
  expect(new SchemaChecker().check(JSON.stringify(variables), Object.fromEntries([...required, ...defaults]))).toBeUndefined()
})

test('views are found by name only', () => {
  expect(Object.keys(collectionView('aggregate-worker-metadata') ?? {})).toContain('prefect-docker')
  expect(Object.keys(collectionView('aggregate-block-metadata') ?? {})).toEqual(['millrace'])
  expect(collectionView('demo-flows')).toEqual({})
  for (const name of ['constructor', '__proto__', 'toString', 'none']) expect(collectionView(name)).toBeUndefined()
})

eachDialect('worker types', (setup) => {
  test('can each be used for a work pool', async () => {
    const app = await setup()
    const { body } = await app.call('GET', '/collections/views/aggregate-worker-metadata')
    const workers = Object.values(body).flatMap((collection) => Object.values(collection as object))
    expect(workers).toHaveLength(allWorkers.length)
    for (const { type, default_base_job_configuration } of workers) {
      const pool = { name: `pool-${type}`, type, base_job_template: default_base_job_configuration }
      expect([type, (await app.call('POST', '/work_pools/', pool)).status]).toEqual([type, 201])
    }
  })
})
