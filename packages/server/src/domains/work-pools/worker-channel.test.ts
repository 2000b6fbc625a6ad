import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'
import { connect, type SocketClient } from '../../../test/socket-client.ts'
import { formatTime } from '../../lib/time.ts'

const consumer = '0198c1c2-aaaa-7bbb-8ccc-000000000001'
const template = { job_configuration: { command: '{{ command }}' }, variables: { type: 'object', properties: { command: { type: 'string' } } } }

const frame = (app: TestApp, type: string, payload: object, more: object = {}) => ({
  type,
  id: app.context.newId(),
  sent_at: formatTime(app.context.clock.now()),
  payload,
  ...more,
})
const helloFrame = (app: TestApp, more: object = {}) =>
  frame(app, 'worker.hello.v1', {
    consumer_id: consumer,
    worker_name: 'w1',
    worker_type: 'process',
    heartbeat_interval_seconds: 30,
    supported_channel_versions: ['work_pool_worker_channel.v1'],
    requested_capabilities: ['worker_heartbeat.v1', 'work_pool_snapshot.v1'],
    work_queue_names: [],
    handled_cleanup_kinds: [],
    max_cleanup_concurrency: 0,
    create_pool_if_not_found: true,
    default_base_job_template: template,
    worker_metadata: null,
    ...more,
  })
const heartbeatFrame = (app: TestApp, more: object = {}) =>
  frame(app, 'worker.heartbeat.v1', { consumer_id: consumer, worker_name: 'w1', heartbeat_interval_seconds: 30, ...more })

async function openChannel(app: TestApp, more: object = {}): Promise<{ client: SocketClient; ready: Awaited<ReturnType<SocketClient['next']>> }> {
  const client = await connect(app, '/api/work_pools/p/workers/connect')
  client.send(helloFrame(app, more))
  return { client, ready: await client.next() }
}

eachDialect('the worker channel', (setup) => {
  test('creates the pool on request and marks the worker online', async () => {
    const app = await setup()
    const { ready } = await openChannel(app)
    const pool = (await app.call('GET', '/work_pools/p')).body
    expect(ready).toEqual({
      type: 'worker.ready.v1',
      id: expect.any(String),
      sent_at: expect.any(String),
      payload: {
        consumer_id: consumer,
        worker_id: null,
        selected_channel_version: 'work_pool_worker_channel.v1',
        effective_heartbeat_interval_seconds: 30,
        accepted_capabilities: ['worker_heartbeat.v1', 'work_pool_snapshot.v1'],
        rejected_capabilities: [],
        effective_max_cleanup_concurrency: 0,
        resolved_work_queues: [{ id: pool.default_queue_id, name: 'default' }],
        initial_snapshot: { snapshot_sequence: 1, reason: 'initial', work_pool: pool },
      },
    })
    expect(pool).toMatchObject({ type: 'process', status: 'READY', base_job_template: template })
    expect((await app.call('POST', '/work_pools/p/workers/filter', {})).body).toMatchObject([
      { name: 'w1', status: 'ONLINE', heartbeat_interval_seconds: 30 },
    ])
  })

  test('gives the worker’s template to a pool without one and lists rejected capabilities', async () => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'p', type: 'process' })
    const { ready } = await openChannel(app, {
      requested_capabilities: ['worker_heartbeat.v1', 'work_pool_snapshot.v1', 'cleanup_delivery.v1'],
      handled_cleanup_kinds: ['pending_claim_teardown.v1'],
      max_cleanup_concurrency: 2,
    })
    expect(ready.payload).toMatchObject({
      rejected_capabilities: ['cleanup_delivery.v1'],
      effective_max_cleanup_concurrency: 0,
      initial_snapshot: { work_pool: { base_job_template: template } },
    })
  })

  test('sends relevant changes of the pool only', async () => {
    const app = await setup()
    const { client } = await openChannel(app)
    await app.call('PATCH', '/work_pools/p', { concurrency_limit: 3 })
    expect(await client.next()).toMatchObject({
      type: 'work_pool.snapshot.v1',
      payload: { snapshot_sequence: 2, reason: 'work_pool_updated', work_pool: { concurrency_limit: 3, active_slots: 0 } },
    })
    await app.call('PATCH', '/work_pools/p', { is_paused: true })
    expect(await client.next()).toMatchObject({ payload: { snapshot_sequence: 3, work_pool: { is_paused: true, status: 'PAUSED' } } })
    await app.call('PATCH', '/work_pools/p', { concurrency_limit: 3 })
    client.send(heartbeatFrame(app))
    await client.ping()
    expect(client.unreadCount).toBe(0)
  })

  test('keeps the worker online by heartbeats, which also send missed changes', async () => {
    const app = await setup()
    const { client } = await openChannel(app)
    await app.context.commands.submit((tx) => tx.update('work_pool', [{ name: 'p', concurrency_limit: 7 } as never], { key: 'name' }))
    app.clock.advance(30)
    client.send(heartbeatFrame(app))
    expect(await client.next()).toMatchObject({ payload: { reason: 'heartbeat_reconciliation', work_pool: { concurrency_limit: 7 } } })
    const [worker] = (await app.call('POST', '/work_pools/p/workers/filter', {})).body
    expect(worker.last_heartbeat_time > worker.created).toBe(true)
  })

  test('closes when the pool is deleted', async () => {
    const app = await setup()
    const { client } = await openChannel(app)
    await app.call('DELETE', '/work_pools/p')
    expect(await client.closed).toEqual({ code: 1008, reason: 'authorization_failed' })
  })

  test('rejects clean-up frames', async () => {
    const app = await setup()
    const { client } = await openChannel(app)
    const message_id = app.context.newId()
    const ack = frame(app, 'cleanup.ack.v1', { message_id, reservation_token: 't' })
    client.send(ack)
    expect(await client.next()).toMatchObject({
      type: 'cleanup.operation_result.v1',
      payload: { request_frame_id: ack.id, message_id, operation: 'ack', status: 'unauthorized', reason: expect.any(String) },
    })
  })

  test.each<[string, (app: TestApp) => unknown, number, string]>([
    ['a pool that is not to be made', (app) => helloFrame(app, { create_pool_if_not_found: false }), 1008, 'authorization_failed'],
    ['a queue that is not there', (app) => helloFrame(app, { work_queue_names: ['none'] }), 1008, 'authorization_failed'],
    ['another version', (app) => helloFrame(app, { supported_channel_versions: ['v9'] }), 1008, 'unsupported_version'],
    ['too few capabilities', (app) => helloFrame(app, { requested_capabilities: ['worker_heartbeat.v1'] }), 1002, 'protocol_error'],
    ['a field that we do not know', (app) => helloFrame(app, { colour: 'red' }), 1002, 'protocol_error'],
    ['a field of the frame that we do not know', (app) => ({ ...helloFrame(app), colour: 'red' }), 1002, 'protocol_error'],
    ['a template that is none', (app) => helloFrame(app, { default_base_job_template: { variables: {} } }), 1002, 'protocol_error'],
    ['another frame first', (app) => heartbeatFrame(app), 1002, 'protocol_error'],
    ['no JSON', () => '{', 1002, 'protocol_error'],
  ])('%s ends it', async (_name, first, code, reason) => {
    const app = await setup()
    const client = await connect(app, '/work_pools/p/workers/connect')
    client.send(first(app))
    expect(await client.closed).toEqual({ code, reason })
  })

  test('closes on an invalid template for an existing pool without one, and does not store it', async () => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'p', type: 'process' })
    const client = await connect(app, '/work_pools/p/workers/connect')
    client.send(helloFrame(app, { default_base_job_template: { variables: {} } }))
    expect(await client.closed).toEqual({ code: 1002, reason: 'protocol_error' })
    expect((await app.call('GET', '/work_pools/p')).body.base_job_template).toEqual({})
  })

  test.each<[string, (app: TestApp) => unknown]>([
    ['of another worker', (app) => heartbeatFrame(app, { worker_name: 'w2' })],
    ['of another consumer', (app) => heartbeatFrame(app, { consumer_id: app.context.newId() })],
    ['with more in it', (app) => heartbeatFrame(app, { colour: 'red' })],
  ])('a heartbeat %s ends it', async (_name, beat) => {
    const app = await setup()
    const { client } = await openChannel(app)
    client.send(beat(app))
    expect(await client.closed).toEqual({ code: 1002, reason: 'protocol_error' })
  })
})
