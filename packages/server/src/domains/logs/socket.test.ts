import type { LogFilter } from '@millrace/contracts/log.ts'
import { expect, test } from 'vitest'
import { startEventLoopProbe } from '../../../test/event-loop-probe.ts'
import { proofSize } from '../../../test/proof-size.ts'
import { eachDialect, type TestApp } from '../../../test/setup.ts'
import { connect } from '../../../test/socket-client.ts'
import { liveLogs } from './live-logs.ts'
import type { LogRow } from './store.ts'

const [one, two] = ['0198c1c2-aaaa-7bbb-8ccc-000000000001', '0198c1c2-aaaa-7bbb-8ccc-000000000002']
const log = (message: string, more: object = {}) => ({ name: 'l', level: 20, message, timestamp: '2030-01-01T00:00:00Z', flow_run_id: one, ...more })

async function listen(app: TestApp, filter: LogFilter) {
  const client = await connect(app, '/api/logs/out')
  client.send({ type: 'filter', filter })
  await client.ping()
  return client
}

eachDialect('/logs/out', (setup) => {
  test('sends new logs and no past ones', async () => {
    const app = await setup()
    await app.call('POST', '/logs/', [log('before')])
    const client = await listen(app, {})
    await app.call('POST', '/logs/', [log('a'), log('b')])
    expect(await client.next()).toEqual({
      type: 'log',
      log: {
        ...log('a'),
        task_run_id: null,
        id: expect.any(String),
        created: expect.any(String),
        updated: expect.any(String),
        timestamp: expect.any(String),
      },
    })
    expect(await client.next()).toMatchObject({ log: { message: 'b' } })
  })

  test.each<[string, LogFilter, string[]]>([
    ['level', { level: { ge_: 20, le_: 30 } }, ['plain', 'of two', 'of a task', 'warning']],
    ['flow run', { flow_run_id: { any_: [two as string] } }, ['of two']],
    ['task run', { task_run_id: { any_: [two as string] } }, ['of a task']],
    ['no task run', { task_run_id: { is_null_: true }, level: { ge_: 30 } }, ['warning', 'error']],
    ['time', { timestamp: { after_: '2030-01-01T00:00:01Z' } }, ['error']],
    ['text', { text: { query: 'WARN err -task' } }, ['warning', 'error']],
    ['either', { operator: 'or_', level: { ge_: 40 }, flow_run_id: { any_: [two as string] } }, ['of two', 'error']],
  ])('filters by %s like the list', async (_what, filter, wanted) => {
    const app = await setup()
    const client = await listen(app, filter)
    await app.call('POST', '/logs/', [
      log('debug', { level: 10 }),
      log('plain'),
      log('of two', { flow_run_id: two }),
      log('of a task', { task_run_id: two }),
      log('warning', { level: 30 }),
      log('error', { level: 40, timestamp: '2030-01-01T00:00:02Z' }),
    ])
    const heard = []
    while (heard.length < wanted.length) heard.push((await client.next()).log.message)
    await client.ping()
    expect(client.unreadCount).toBe(0)
    expect(heard).toEqual(wanted)
    const listed = (await app.call('POST', '/logs/filter', { logs: filter })).body.map(({ message }: { message: string }) => message)
    expect(listed.sort()).toEqual([...wanted].sort())
  })

  test('closes the connection on an invalid filter', async () => {
    const app = await setup()
    for (const first of [{ type: 'hello' }, { type: 'filter', filter: { colour: 1 } }, '{']) {
      const client = await connect(app, '/logs/out')
      client.send(first)
      expect(await client.closed).toMatchObject({ code: 1002 })
    }
  })

  test('ends the stream instead of skipping logs that it cannot keep up with', async () => {
    const app = await setup()
    const client = await connect(app, '/logs/out')
    client.send({ type: 'filter', filter: {} })
    await client.ping()
    const row: LogRow = { id: one, created: 0, name: 'l', level: 20, message: 'x', timestamp: 0, flow_run_id: one, task_run_id: null }
    liveLogs(app.context).publish(Array.from({ length: 40_001 }, () => ({ ...row, id: app.context.newId() })))
    expect(await client.closed).toMatchObject({ code: 1013, reason: expect.stringContaining('connect again') })
    const again = await connect(app, '/logs/out')
    again.send({ type: 'filter', filter: {} })
    await again.ping()
    liveLogs(app.context).publish([{ ...row, id: app.context.newId(), message: 'later' }])
    expect(await again.next()).toMatchObject({ log: { message: 'later' } })
  })

  test('lets other work run while a large batch is sent to many subscribers', async () => {
    const app = await setup()
    const [subscribers, batch] = [60, 2000]
    const counts = new Map<number, number>()
    const done = Promise.withResolvers<void>()
    for (let n = 0; n < subscribers; n += 1) {
      liveLogs(app.context).listen({
        send(streamed) {
          // Like a filter and a socket.
          if (JSON.stringify(streamed.row).length + streamed.frame.length > 0) counts.set(n, (counts.get(n) ?? 0) + 1)
          if (n === subscribers - 1 && counts.get(n) === batch) done.resolve()
        },
        onGap: () => done.reject(new Error('logs were skipped')),
      })
    }
    const row: LogRow = { id: one, created: 0, name: 'l', level: 20, message: 'x'.repeat(200), timestamp: 0, flow_run_id: one, task_run_id: null }
    const turns = startEventLoopProbe()
    liveLogs(app.context).publish(Array.from({ length: batch }, () => ({ ...row, id: app.context.newId() })))
    await done.promise
    expect(turns.stop()).toBeLessThan(proofSize(250, 50))
    expect([...counts.values()]).toEqual(Array.from({ length: subscribers }, () => batch))
  })
})
