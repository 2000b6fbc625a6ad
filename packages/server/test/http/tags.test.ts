import { expect, test } from 'vitest'
import { startInMemoryApp } from './in-memory-app.ts'

const tags = (count: number) => Array.from({ length: count }, (_, index) => `tag-${index}`)

test('limits the number of tags and their characters', async () => {
  const app = await startInMemoryApp()
  const { body: flow } = await app.call('POST', '/flows/', { name: 'f', tags: tags(1000) })
  expect(flow.tags).toHaveLength(1000)
  const things: [string, object][] = [
    ['/flows/', { name: 'g' }],
    ['/flow_runs/', { flow_id: flow.id }],
    ['/task_runs/', { flow_run_id: null, task_key: 't', dynamic_key: '0' }],
    ['/deployments/', { name: 'd', flow_id: flow.id }],
    ['/variables/', { name: 'v', value: 1 }],
  ]
  for (const [path, thing] of things) {
    const many = await app.call('POST', path, { ...thing, tags: tags(400_000) })
    expect([path, many.status, many.body.detail]).toMatchObject([path, 422, [{ loc: ['body', 'tags'], type: 'too_long', ctx: { max_length: 1000 } }]])
    const long = await app.call('POST', path, { ...thing, tags: Array.from({ length: 120 }, () => 'x'.repeat(1000)) })
    expect([path, long.status, long.body.detail]).toMatchObject([
      path,
      422,
      [{ loc: ['body', 'tags'], type: 'too_long', ctx: { max_length: 100_000, actual_length: 120_000 } }],
    ])
    expect([path, (await app.call('POST', path, { ...thing, tags: tags(1000) })).status]).toEqual([path, expect.toSatisfy((status) => status < 300)])
  }
})
