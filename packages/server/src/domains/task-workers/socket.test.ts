import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'
import { connect, type SocketClient } from '../../../test/socket-client.ts'

const path = '/api/task_runs/subscriptions/scheduled'

const createDeferredRun = async (app: TestApp, key = 'k', name = 'n'): Promise<string> => {
  const state = { type: 'SCHEDULED', state_details: { deferred: true, task_parameters_id: app.context.newId() } }
  return (await app.call('POST', '/task_runs/', { task_key: key, dynamic_key: app.context.newId(), name, state })).body.id
}

async function subscribe(app: TestApp, keys: string[], client_id = 'worker'): Promise<SocketClient> {
  const client = await connect(app, path)
  client.send({ type: 'subscribe', keys, client_id })
  return client
}

/** Waits until the server has processed the messages. */
const waitForPong = async (client: SocketClient) => client.ping()

eachDialect('deferred task runs', (setup) => {
  test('are sent to a worker of their key one at a time, oldest first', async () => {
    const app = await setup()
    const [first, second] = [await createDeferredRun(app), await createDeferredRun(app)]
    await createDeferredRun(app, 'other')
    const client = await subscribe(app, ['k', 'k2'])
    expect(await client.next()).toMatchObject({ id: first, task_key: 'k', state_type: 'SCHEDULED', state: { state_details: { deferred: true } } })
    await waitForPong(client)
    expect(client.unreadCount).toBe(0)
    client.send({ type: 'ack' })
    expect(await client.next()).toMatchObject({ id: second })
    client.send({ type: 'ack' })
    await waitForPong(client)
    const third = await createDeferredRun(app, 'k2')
    expect(await client.next()).toMatchObject({ id: third })
  })

  test('are sent in the order of the keys of the worker', async () => {
    const app = await setup()
    const made = [
      await createDeferredRun(app, 'k2'),
      await createDeferredRun(app, 'k1'),
      await createDeferredRun(app, 'k2'),
      await createDeferredRun(app, 'k1'),
    ]
    const client = await subscribe(app, ['k1', 'k2'])
    for (const index of [1, 3, 0, 2]) {
      expect(await client.next()).toMatchObject({ id: made[index] })
      client.send({ type: 'ack' })
    }
  })

  test('are still sent to a worker after an unexpected message', async () => {
    const app = await setup()
    const client = await subscribe(app, ['k'])
    client.send({ type: 'ack' })
    client.send({ type: 'hello' })
    await waitForPong(client)
    const id = await createDeferredRun(app)
    expect(await client.next()).toMatchObject({ id })
    client.send({ type: 'ack' })
    await waitForPong(client)
    client.send({ type: 'quit' })
    expect(await client.closed).toMatchObject({ code: 1000 })
  })

  test('are sent to one worker each', async () => {
    const app = await setup()
    const workers = await Promise.all([1, 2, 3].map((n) => subscribe(app, ['k'], `w${n}`)))
    const made = await Promise.all([1, 2, 3].map(() => createDeferredRun(app)))
    const got = await Promise.all(workers.map((worker) => worker.next()))
    expect(got.map(({ id }) => id).sort()).toEqual(made.sort())
  })

  test.each<[string, (client: SocketClient) => void]>([
    ['disconnects', (client) => client.close()],
    ['quits', (client) => client.send({ type: 'quit' })],
    ['sends another message', (client) => client.send({ type: 'what?' })],
    ['sends invalid JSON', (client) => client.send('{')],
  ])('go to the next worker if the first one %s', async (_how, end) => {
    const app = await setup()
    const id = await createDeferredRun(app)
    const one = await subscribe(app, ['k'])
    await one.next()
    const two = await subscribe(app, ['k'])
    await waitForPong(two)
    expect(two.unreadCount).toBe(0)
    end(one)
    expect(await two.next()).toMatchObject({ id })
    two.send({ type: 'ack' })
    await waitForPong(two)
    expect(await app.context.reads.kysely.selectFrom('deferred_task').selectAll().execute()).toEqual([])
  })

  test('are not sent if they are no longer scheduled', async () => {
    const app = await setup()
    const [gone, moved, there] = [await createDeferredRun(app), await createDeferredRun(app), await createDeferredRun(app)]
    await app.call('DELETE', `/task_runs/${gone}`)
    await app.call('POST', `/task_runs/${moved}/set_state`, { state: { type: 'CANCELLED' }, force: true })
    const client = await subscribe(app, ['k'])
    expect(await client.next()).toMatchObject({ id: there })
  })

  test('are sent again when the claim of a stopped server expires', async () => {
    const app = await setup()
    const id = await createDeferredRun(app)
    await app.context.commands.submit((tx) =>
      tx.update('deferred_task', [{ task_run_id: id, claimed_until: app.context.clock.now() + 60_000_000 }], { key: 'task_run_id' }),
    )
    const early = await subscribe(app, ['k'])
    await waitForPong(early)
    expect(early.unreadCount).toBe(0)
    app.clock.advance(61)
    expect(await (await subscribe(app, ['k'])).next()).toMatchObject({ id })
  })

  test('list their workers while they are connected', async () => {
    const app = await setup()
    const client = await subscribe(app, ['a', 'b'], 'host-1')
    await waitForPong(client)
    expect((await app.call('POST', '/task_workers/filter', {})).body).toMatchObject([{ identifier: 'host-1', task_keys: ['a', 'b'] }])
    client.send({ type: 'quit' })
    expect(await client.closed).toMatchObject({ code: 1000 })
    expect((await app.call('POST', '/task_workers/filter', {})).body).toEqual([])
  })

  test.each([
    [{ type: 'hello' }],
    [{ type: 'subscribe', client_id: 'x' }],
    [{ type: 'subscribe', keys: [], client_id: 'x' }],
    [{ type: 'subscribe', keys: ['k'] }],
    ['{'],
  ])('reject %j as the first message', async (first) => {
    const client = await connect(await setup(), path)
    client.send(first)
    expect(await client.closed).toMatchObject({ code: 4001 })
  })

  test('cause no writes while a worker is idle', async () => {
    const app = await setup()
    let writes = 0
    const { writeQueue } = app.context
    const { as } = writeQueue
    const countedAs: typeof as = (actor) => {
      const commands = as(actor)
      const submit: typeof commands.submit = (command) => {
        writes += 1
        return commands.submit(command)
      }
      return { ...commands, submit }
    }
    Object.assign(writeQueue, { as: countedAs })
    const client = await subscribe(app, ['k'])
    await waitForPong(client)
    writes = 0
    for (let i = 0; i < 3; i += 1) {
      app.context.bus.notify('deferred-tasks')
      await waitForPong(client)
    }
    expect(writes).toBe(0)
  })
})
