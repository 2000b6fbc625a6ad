import { expect, test } from 'vitest'
import { startInMemoryApp } from './in-memory-app.ts'

test.each<[string, Record<string, string>, number]>([
  ['none', {}, 200],
  ['SERVICE_SERVER_API_DEFAULT_LIMIT', { SERVICE_SERVER_API_DEFAULT_LIMIT: '7' }, 7],
  ['SERVICE_API_DEFAULT_LIMIT', { SERVICE_API_DEFAULT_LIMIT: '8' }, 8],
  ['both', { SERVICE_API_DEFAULT_LIMIT: '8', SERVICE_SERVER_API_DEFAULT_LIMIT: '7' }, 7],
  ['MILLRACE_SERVER_API_DEFAULT_LIMIT', { MILLRACE_SERVER_API_DEFAULT_LIMIT: '9', SERVICE_SERVER_API_DEFAULT_LIMIT: '7' }, 9],
])('limits the page of every list: %s set', async (_name, env, max) => {
  const app = await startInMemoryApp(env)
  const { routes } = app
  const lists = routes.filter(({ body, path }) => isListOf(body) && !/:|bulk_|^\/(?:events|ui)\//.test(path))
  expect(lists.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/flows/filter', '/flow_runs/filter', '/deployments/paginate', '/work_queues/filter']),
  )
  expect(lists.length).toBeGreaterThan(15)
  for (const { path } of lists) {
    expect([path, (await app.call('POST', path, { limit: max })).status]).toEqual([path, 200])
    const { status, body } = await app.call('POST', path, { limit: max + 1 })
    expect([path, status, body.detail?.[0]]).toMatchObject([
      path,
      422,
      { loc: ['body', 'limit'], type: 'less_than_equal', input: max + 1, ctx: { le: max } },
    ])
    expect((await app.call('POST', path, { limit: -1 })).body.detail[0]).toMatchObject({ loc: ['body', 'limit'], type: 'greater_than_equal' })
  }
})

/** Whether a body has a limit, and nothing that has to be there. */
function isListOf(body: object | undefined): boolean {
  const { properties = {}, required = [] } = (body ?? {}) as { properties?: object; required?: string[] }
  return 'limit' in properties && required.length === 0
}

test('uses the configured limit if the request has none or null', async () => {
  const app = await startInMemoryApp({ SERVICE_SERVER_API_DEFAULT_LIMIT: '2' })
  for (const name of ['a', 'b', 'c']) await app.call('POST', '/flows/', { name })
  for (const body of [undefined, {}, { limit: null }]) {
    expect((await app.call('POST', '/flows/filter', body)).body).toHaveLength(2)
    expect((await app.call('POST', '/flows/paginate', body)).body).toMatchObject({ limit: 2, pages: 2, count: 3 })
  }
  expect((await app.call('POST', '/flows/filter', { limit: '1' })).body).toHaveLength(1)
  expect((await app.call('POST', '/flows/filter', { limit: 0 })).body).toEqual([])
})
