import { expect, test } from 'vitest'
import { eachDialect } from '../../../test/setup.ts'
import { taskWorkers } from './registry.ts'

eachDialect('POST /task_workers/filter', (setup) => {
  test('lists connected workers by task key', async () => {
    const app = await setup()
    const list = async (body: object = {}) =>
      (await app.call('POST', '/task_workers/filter', body)).body.map(({ identifier }: { identifier: string }) => identifier)
    expect(await list()).toEqual([])
    const registry = taskWorkers(app.context)
    const first = registry.add('first', ['a', 'b'])
    registry.add('second', ['c'])
    const again = registry.add('first', ['b', 'd'])
    expect(await list({ task_worker_filter: { task_keys: ['b', 'x'], colour: 'dropped' } })).toEqual(['first'])
    expect(await list({ task_worker_filter: { task_keys: [] } })).toEqual(['first', 'second'])
    expect((await app.call('POST', '/task_workers/filter', {})).body[0]).toMatchObject({ identifier: 'first', task_keys: ['a', 'b', 'd'] })
    first.remove()
    expect(await list({ task_worker_filter: { task_keys: ['a'] } })).toEqual([])
    expect(await list()).toEqual(['first', 'second'])
    again.remove()
    again.remove()
    expect(await list()).toEqual(['second'])
  })

  test('returns the last activity and only workers of this server', async () => {
    const [app, other] = [await setup(), await setup()]
    const connection = taskWorkers(app.context).add('a', ['k'])
    app.clock.advance(60)
    connection.touch()
    expect((await app.call('POST', '/task_workers/filter')).body).toMatchObject([{ timestamp: expect.stringMatching(/^2030-01-01T00:01:00/) }])
    expect((await other.call('POST', '/task_workers/filter')).body).toEqual([])
  })
})
