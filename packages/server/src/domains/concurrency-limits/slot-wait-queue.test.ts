import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'
import { ApiError } from '../../errors.ts'
import { slotWaitQueue } from './slot-wait-queue.ts'

const at = '/v2/concurrency_limits'
const waitHeader = { prefer: 'wait=50' }

const limit = (app: TestApp, name: string, more: object = {}) => app.call('POST', `${at}/`, { name, limit: 1, ...more })
const acquire = (app: TestApp, names: string[], headers: Record<string, string> = {}, slots = 1) =>
  app.call('POST', `${at}/increment-with-lease`, { names, slots, lease_duration: 60 }, headers)
const release = (app: TestApp, lease_id: string) => app.call('POST', `${at}/decrement-with-lease`, { lease_id })
/** Resolves when `count` requests were denied and wait. */
async function waitUntilQueued(app: TestApp, name: string, count: number): Promise<void> {
  for (;;) {
    const row = await app.context.reads.kysely.selectFrom('concurrency_limit').select('denied_slots').where('name', '=', name).executeTakeFirst()
    if (row && row.denied_slots > count - 0.5) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}

eachDialect('requests that wait for slots', (setup) => {
  test('are denied at once when too many wait', async () => {
    const app = await setup()
    await limit(app, 'a')
    await acquire(app, ['a'])
    const queue = slotWaitQueue(app.context)
    const refusal = (await acquire(app, ['a'])).body
    const denial = new ApiError(refusal.code, 423, refusal.detail, { 'retry-after': '30' })
    const wait = { names: ['a'], slots: 1, seconds: 600, signal: new AbortController().signal, attempt: async () => 1, rollBack: async () => {} }
    const held = Array.from({ length: 2000 }, () => queue.wait(wait, denial).catch(() => 'closed'))
    await expect(queue.wait(wait, denial)).rejects.toBe(denial)
    queue.close()
    expect(new Set(await Promise.all(held))).toEqual(new Set(['closed']))
  })

  test('acquire slots in order of arrival', async () => {
    const app = await setup()
    await limit(app, 'a')
    let { lease_id } = (await acquire(app, ['a'])).body
    const order: number[] = []
    const waiting: Promise<string>[] = []
    for (let n = 0; n < 3; n += 1) {
      waiting.push(
        acquire(app, ['a'], waitHeader).then(({ status, body }) => {
          expect(status).toBe(200)
          order.push(n)
          return body.lease_id
        }),
      )
      await waitUntilQueued(app, 'a', n + 1)
    }
    for (const next of waiting) {
      await release(app, lease_id)
      lease_id = await next
    }
    expect(order).toEqual([0, 1, 2])
  })

  test('acquire slots of all limits or of none', async () => {
    const app = await setup()
    await limit(app, 'a')
    await limit(app, 'b')
    const [one, two] = [(await acquire(app, ['a'])).body.lease_id, (await acquire(app, ['b'])).body.lease_id]
    const both = acquire(app, ['a', 'b'], waitHeader)
    await waitUntilQueued(app, 'b', 1)
    await release(app, one)
    // The waiting request does not hold a slot of one limit while the other is full.
    const three = await acquire(app, ['a'])
    expect(three.status).toBe(200)
    await release(app, two)
    await release(app, three.body.lease_id)
    expect(await both).toMatchObject({ status: 200, body: { limits: [{ name: 'a' }, { name: 'b' }] } })
  })

  test('succeed when the limit is raised, deactivated or deleted', async () => {
    const app = await setup()
    const changes: [method: string, body?: object][] = [['PATCH', { limit: 2 }], ['PATCH', { active: false }], ['DELETE']]
    for (const [n, [method, body]] of changes.entries()) {
      const name = `l${n}`
      await limit(app, name)
      await acquire(app, [name])
      const waiting = acquire(app, [name], waitHeader)
      await waitUntilQueued(app, name, 1)
      await app.call(method, `${at}/${name}`, body)
      expect((await waiting).status).toBe(200)
    }
  })

  test('succeed when a lease expires and when slots decay', async () => {
    const app = await setup()
    await limit(app, 'a')
    await acquire(app, ['a'])
    await limit(app, 'rate', { slot_decay_per_second: 0.5 })
    await app.call('POST', `${at}/increment`, { names: ['rate'], slots: 1, mode: 'rate_limit' })
    const waiting = [
      acquire(app, ['a'], waitHeader),
      app.call('POST', `${at}/increment`, { names: ['rate'], slots: 1, mode: 'rate_limit' }, waitHeader),
    ]
    await waitUntilQueued(app, 'a', 1)
    await waitUntilQueued(app, 'rate', 1)
    app.clock.advance(61)
    app.context.bus.notify('slots')
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200])
  })

  test('are denied after the maximum wait, with a short retry delay', async () => {
    const app = await setup({ env: { MILLRACE_CONCURRENCY_MAXIMUM_HOLD_SECONDS: '0.2' } })
    await limit(app, 'a')
    await acquire(app, ['a'])
    const { status, headers } = await acquire(app, ['a'], waitHeader)
    expect([status, headers['retry-after']]).toEqual([423, '0.1'])
    const notHeld = await acquire(app, ['a'])
    expect([notHeld.status, Number(notHeld.headers['retry-after']) > 0.1]).toEqual([423, true])
  })

  test('are not held if they can never succeed', async () => {
    const app = await setup()
    await limit(app, 'a')
    expect((await acquire(app, ['a'], waitHeader, 2)).status).toBe(422)
    await app.call('POST', '/concurrency_limits/', { tag: 'closed', concurrency_limit: 0 })
    const body = { names: ['closed'], task_run_id: '00000000-0000-4000-8000-000000000001' }
    expect((await app.call('POST', '/concurrency_limits/increment', body, waitHeader)).status).toBe(423)
  })

  test('are held for tags, and for clients that send no Prefer header', async () => {
    const app = await setup()
    await app.call('POST', '/concurrency_limits/', { tag: 'wet', concurrency_limit: 1 })
    const of = (n: number) => ({ names: ['wet'], task_run_id: `00000000-0000-4000-8000-00000000000${n}` })
    await app.call('POST', '/concurrency_limits/increment', of(1))
    const agent = { 'user-agent': 'prefect/3.8.8 (API 0.8.4)' }
    const second = app.call('POST', '/concurrency_limits/increment', of(2), agent)
    const third = acquire(app, ['tag:wet'], agent)
    await waitUntilQueued(app, 'tag:wet', 1)
    await app.call('POST', '/concurrency_limits/decrement', of(1))
    expect((await second).status).toBe(200)
    await app.call('POST', '/concurrency_limits/decrement', of(2))
    expect((await third).status).toBe(200)
  })

  test('write nothing while they wait', async () => {
    const app = await setup()
    await limit(app, 'a')
    const { lease_id } = (await acquire(app, ['a'])).body
    const waiting = acquire(app, ['a'], waitHeader)
    await waitUntilQueued(app, 'a', 1)
    const row = () => app.context.reads.kysely.selectFrom('concurrency_limit').selectAll().where('name', '=', 'a').executeTakeFirst()
    const before = await row()
    for (let n = 0; n < 20; n += 1) app.context.bus.notify('slots')
    await app.call('GET', `${at}/a`)
    expect(await row()).toEqual(before)
    await release(app, lease_id)
    expect((await waiting).status).toBe(200)
  })

  test('acquire no slot after the client disconnects', async () => {
    const app = await setup()
    await limit(app, 'a')
    const { lease_id } = (await acquire(app, ['a'])).body
    const address = await app.server.listen({ port: 0, host: '127.0.0.1' })
    const ending = new AbortController()
    const body = JSON.stringify({ names: ['a'], slots: 1, lease_duration: 60 })
    const headers = { 'content-type': 'application/json', ...waitHeader }
    const gone = fetch(`${address}/api${at}/increment-with-lease`, { method: 'POST', headers, body, signal: ending.signal })
    await waitUntilQueued(app, 'a', 1)
    ending.abort()
    await expect(gone).rejects.toThrow()
    const next = acquire(app, ['a'], waitHeader)
    await waitUntilQueued(app, 'a', 2)
    await release(app, lease_id)
    expect((await next).status).toBe(200)
  })

  test('are denied when the server stops', async () => {
    const app = await setup()
    await limit(app, 'a')
    await acquire(app, ['a'])
    const waiting = acquire(app, ['a'], waitHeader)
    await waitUntilQueued(app, 'a', 1)
    await app.server.close()
    expect((await waiting).status).toBe(423)
  })
})
