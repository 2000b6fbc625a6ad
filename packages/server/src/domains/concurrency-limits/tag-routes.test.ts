import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const at = '/concurrency_limits'
const runs = Array.from({ length: 4 }, (_, i) => `018f0000-0000-7000-8000-00000000000${i}`) as [string, string, string, string]
const limit = (app: TestApp, tag: string, concurrency_limit: number) => app.call('POST', `${at}/`, { tag, concurrency_limit })
const acquire = (app: TestApp, names: string[], task_run_id: string) => app.call('POST', `${at}/increment`, { names, task_run_id })
const release = (app: TestApp, names: string[], task_run_id: string) => app.call('POST', `${at}/decrement`, { names, task_run_id })
const holders = async (app: TestApp, tag: string): Promise<string[]> => (await app.call('GET', `${at}/tag/${tag}`)).body.active_slots

eachDialect('tag limits', (setup) => {
  test('are concurrency limits named after the tag', async () => {
    const app = await setup()
    const created = await limit(app, 'gpu', 2)
    expect(created).toMatchObject({ status: 201, body: { tag: 'gpu', concurrency_limit: 2, active_slots: [] } })
    expect((await limit(app, 'gpu', 3)).status).toBe(200)
    expect((await app.call('GET', `/v2/concurrency_limits/tag:gpu`)).body).toMatchObject({ id: created.body.id, limit: 3 })
    await app.call('POST', '/v2/concurrency_limits/', { name: 'no tag', limit: 1 })
    await limit(app, 'cpu', 1)
    const tags = (await app.call('POST', `${at}/filter`, {})).body.map(({ tag }: { tag: string }) => tag)
    expect(tags).toEqual(['cpu', 'gpu'])
    expect((await app.call('POST', `${at}/filter`, { limit: 1, offset: 1 })).body).toMatchObject([{ tag: 'gpu' }])
    expect((await app.call('DELETE', `${at}/tag/gpu`)).body).toBe(null)
    expect(await app.eventNames()).toEqual(['created', 'updated', 'created', 'created', 'deleted'].map((what) => `prefect.concurrency-limit.${what}`))
  })

  test('give a task run one slot of each tag or none, without expiry', async () => {
    const app = await setup()
    await limit(app, 'gpu', 2)
    await limit(app, 'cpu', 1)
    expect((await acquire(app, ['gpu', 'cpu', 'free'], runs[0])).body).toMatchObject([
      { name: 'gpu', limit: 2 },
      { name: 'cpu', limit: 1 },
    ])
    const denied = await acquire(app, ['gpu', 'cpu'], runs[1])
    expect(denied.status).toBe(423)
    expect(denied.headers['retry-after']).toBe('30')
    expect((await acquire(app, ['gpu'], runs[1])).status).toBe(200)
    app.clock.advance(365 * 24 * 3600)
    expect(await holders(app, 'gpu')).toEqual([runs[0], runs[1]])
    expect((await release(app, ['gpu'], runs[0])).body).toMatchObject([{ name: 'tag:gpu' }])
    expect(await holders(app, 'gpu')).toEqual([runs[1]])
    expect(await holders(app, 'cpu')).toEqual([])
    expect((await release(app, ['gpu'], runs[2])).body).toMatchObject([{ name: 'tag:gpu' }])
  })

  test('with 0 slots deny without a retry delay', async () => {
    const app = await setup()
    await limit(app, 'gpu', 0)
    const denied = await acquire(app, ['gpu'], runs[0])
    expect(denied.status).toBe(423)
    expect(denied.headers['retry-after']).toBeUndefined()
  })

  test('are held by running task runs', async () => {
    const app = await setup()
    await limit(app, 'gpu', 1)
    const start = async (key: string) => {
      const { id } = (await app.call('POST', '/task_runs/', { task_key: 'k', dynamic_key: key, tags: ['gpu'], state: { type: 'PENDING' } })).body
      return { id, status: (await app.call('POST', `/task_runs/${id}/set_state`, { state: { type: 'RUNNING' } })).body.status }
    }
    const first = await start('1')
    expect((await start('2')).status).toBe('WAIT')
    expect(await holders(app, 'gpu')).toEqual([first.id])
    expect((await acquire(app, ['gpu'], runs[0])).status).toBe(423)
    await app.call('POST', `/task_runs/${first.id}/set_state`, { state: { type: 'COMPLETED' } })
    expect(await holders(app, 'gpu')).toEqual([])
  })

  test('can be rate limits: the slot of a task run decays', async () => {
    const app = await setup()
    await app.call('POST', '/v2/concurrency_limits/', { name: 'tag:gpu', limit: 1, slot_decay_per_second: 0.1 })
    const start = async (key: string) => {
      const { id } = (await app.call('POST', '/task_runs/', { task_key: 'k', dynamic_key: key, tags: ['gpu'], state: { type: 'PENDING' } })).body
      return (await app.call('POST', `/task_runs/${id}/set_state`, { state: { type: 'RUNNING' } })).body.status
    }
    expect(await start('1')).toBe('ACCEPT')
    app.clock.advance(9)
    expect(await start('2')).toBe('WAIT')
    app.clock.advance(2)
    expect(await start('3')).toBe('ACCEPT')
  })

  test('are reset to the given holders, even beyond the limit', async () => {
    const app = await setup()
    await limit(app, 'gpu', 1)
    await acquire(app, ['gpu'], runs[0])
    expect((await app.call('POST', `${at}/tag/gpu/reset`, { slot_override: [runs[1], runs[2]] })).body).toBe(null)
    expect(await holders(app, 'gpu')).toEqual([runs[1], runs[2]])
    expect((await acquire(app, ['gpu'], runs[3])).status).toBe(423)
    await app.call('POST', `${at}/tag/gpu/reset`, {})
    expect(await holders(app, 'gpu')).toEqual([])
    expect((await acquire(app, ['gpu'], runs[3])).status).toBe(200)
    expect((await app.call('POST', `${at}/tag/none/reset`, {})).status).toBe(404)
  })

  test('end their leases when they are deleted', async () => {
    const app = await setup()
    const { id } = (await limit(app, 'gpu', 1)).body
    const lease = (await app.call('POST', '/v2/concurrency_limits/increment-with-lease', { names: ['tag:gpu'], slots: 1 })).body.lease_id
    await app.call('DELETE', `${at}/${id}`)
    expect((await app.call('POST', `/v2/concurrency_limits/leases/${lease}/renew`, {})).status).toBe(410)
  })
})
