import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

const run = '11111111-0000-4000-8000-000000000000'
const other = '22222222-0000-4000-8000-000000000000'
const task = '33333333-0000-4000-8000-000000000000'

const log = (message: string, more: object = {}) => ({
  name: 'a.logger',
  level: 20,
  message,
  timestamp: '2030-01-01T00:00:00Z',
  flow_run_id: run,
  ...more,
})

async function messages(app: TestApp, logs: object, more: object = {}): Promise<string[]> {
  const { status, body } = await app.call('POST', '/logs/filter', { logs, ...more })
  expect(status).toBe(200)
  return body.map(({ message }: { message: string }) => message)
}

const countLogs = async (app: TestApp) => (await app.context.reads.kysely.selectFrom('log').select('id').execute()).length

eachDialect('logs', (setup) => {
  test('are listed by time, and by arrival for equal times', async () => {
    const app = await setup()
    await app.call('POST', '/logs/', [
      log('c', { timestamp: '2030-01-01T00:00:02Z' }),
      log('a'),
      log('b', { timestamp: '2030-01-01T01:00:00+01:00' }),
      log('x', { flow_run_id: other }),
    ])
    await app.call('POST', '/logs/', [log('b2')])
    expect(await messages(app, { flow_run_id: { any_: [run] } })).toEqual(['a', 'b', 'b2', 'c'])
    expect(await messages(app, { flow_run_id: { any_: [run] } }, { sort: 'TIMESTAMP_DESC', limit: 2, offset: 1 })).toEqual(['b2', 'b'])
    expect(await messages(app, { flow_run_id: { any_: [run, other] } })).toEqual(['a', 'b', 'x', 'b2', 'c'])
    expect(await messages(app, { flow_run_id: { any_: [] } })).toEqual([])
  })

  test('are listed and downloaded with long messages, which are loaded one by one', async () => {
    const app = await setup()
    const { body: flow } = await app.call('POST', '/flows/', { name: 'f' })
    const { body: flowRun } = await app.call('POST', '/flow_runs/', { flow_id: flow.id, name: 'r' })
    const long = `"é",\n${'x'.repeat(100_000)}`
    const sent = ['a', `${long}1`, 'b', `${long}2`, `${long}3`, 'c']
    await app.call(
      'POST',
      '/logs/',
      sent.map((message, n) => log(message, { flow_run_id: flowRun.id, timestamp: `2030-01-01T00:00:0${n}Z`, name: n === 0 ? long : 'l' })),
    )
    for (const filter of [{ flow_run_id: { any_: [flowRun.id] } }, { text: { query: 'é' } }, {}]) {
      const { headers, body } = await app.call('POST', '/logs/filter', { logs: filter })
      // Streamed, so that the whole page is never in memory.
      expect(headers['content-length']).toBe(undefined)
      expect(body.map(({ message }: { message: string }) => message)).toEqual('text' in filter ? sent.filter((_, n) => ![2, 5].includes(n)) : sent)
      expect(body[0].name).toBe(long)
    }
    const csv = (await app.server.inject({ url: `/flow_runs/${flowRun.id}/logs/download` })).body
    expect(csv.split('\r\n').map((line) => line.slice(0, 22))).toHaveLength(sent.length + 2)
    for (const message of sent) expect(csv).toContain(message.startsWith('"') ? `"${message.replaceAll('"', '""')}"` : `,${message}\r\n`)
  })

  test('are listed for any time', async () => {
    const app = await setup()
    await app.call('POST', '/logs/', [log('late', { timestamp: '9999-12-31T23:59:59Z' }), log('early', { timestamp: '0001-01-01T00:00:00Z' })])
    expect(await messages(app, { flow_run_id: { any_: [run] } })).toEqual(['early', 'late'])
  })

  test('are filtered with either operator', async () => {
    const app = await setup()
    await app.call('POST', '/logs/', [
      log('low', { level: 10 }),
      log('of a task', { task_run_id: task }),
      log('high', { level: 50, timestamp: '2030-01-01T00:00:05Z' }),
      log('of nobody', { flow_run_id: null }),
    ])
    expect(await messages(app, { level: { ge_: 20, le_: 40 } })).toEqual(['of a task', 'of nobody'])
    expect(await messages(app, { task_run_id: { any_: [task] } })).toEqual(['of a task'])
    expect(await messages(app, { flow_run_id: { any_: [run] }, task_run_id: { is_null_: true } })).toEqual(['low', 'high'])
    expect(await messages(app, { timestamp: { after_: '2030-01-01T00:00:05Z' } })).toEqual(['high'])
    expect(await messages(app, { operator: 'or_', level: { ge_: 50 }, task_run_id: { any_: [task] } })).toEqual(['of a task', 'high'])
  })

  test('are searched by message and name without wildcards', async () => {
    const app = await setup()
    await app.call('POST', '/logs/', [log('Disk full'), log('100% done'), log('1000 done', { name: 'Other_Logger' }), log(String.raw`C:\temp`)])
    const found = (query: string) => messages(app, { flow_run_id: { any_: [run] }, text: { query } })
    expect(await found('DISK temp')).toEqual(['Disk full', String.raw`C:\temp`])
    expect(await found('100%')).toEqual(['100% done'])
    expect(await found('r_logger')).toEqual(['1000 done'])
    expect(await found(String.raw`c:\t`)).toEqual([String.raw`C:\temp`])
    expect(await found('+done +100 -other')).toEqual(['100% done'])
    expect(await found('"full a"')).toEqual(['Disk full'])
  })

  test('are rejected beyond a limit as a complete request', async () => {
    const app = await setup({ env: { MILLRACE_LOGS_MAXIMUM_PER_REQUEST: '3', MILLRACE_LOGS_MAXIMUM_MESSAGE_BYTES: '10' } })
    const many = await app.call('POST', '/logs/', [log('a'), log('b'), log('c'), log('d')])
    expect(many).toMatchObject({ status: 413, body: { code: 'TOO_LARGE', detail: expect.stringContaining('logs.maximum_per_request') } })
    const long = await app.call('POST', '/logs/', [log('fits'), log('äöüäöü'), log('x'.repeat(11))])
    expect(long).toMatchObject({
      status: 422,
      body: {
        detail: [
          { loc: ['body', 1, 'message'], ctx: { actual_length: 12 } },
          { loc: ['body', 2, 'message'], ctx: { max_length: 10 } },
        ],
      },
    })
    expect((await app.call('POST', '/logs/', [log('fine'), { name: 'x' }])).status).toBe(422)
    expect(await countLogs(app)).toBe(0)
    expect(await app.call('POST', '/logs/', [log('0123456789'), log('b'), log('c')])).toMatchObject({ status: 201, body: null })
    expect(await countLogs(app)).toBe(3)
  })

  test('are stored without invalid characters', async () => {
    const app = await setup()
    const body = `[${JSON.stringify(log('NUL'))}]`.replace('"NUL"', String.raw`"a\u0000b\ud800"`)
    expect((await app.call('POST', '/logs/', body)).status).toBe(201)
    expect(await messages(app, {})).toEqual(['ab\ufffd'])
  })

  test('are written together for concurrent requests', async () => {
    const app = await setup()
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        app.call(
          'POST',
          '/logs/',
          Array.from({ length: 600 }, (_, i) => log(`${n} ${i}`)),
        ),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201))
    expect(await countLogs(app)).toBe(7200)
  })

  test('are downloaded as CSV, page by page', async () => {
    const app = await setup()
    const flow = await app.call('POST', '/flows/', { name: 'a flow' })
    const { id } = (await app.call('POST', '/flow_runs/', { flow_id: flow.body.id, name: 'run 1/ä' })).body
    const lines = Array.from({ length: 2100 }, (_, i) =>
      log(`line ${i}`, { flow_run_id: id, timestamp: i < 1050 ? '2030-01-01T00:00:00.5Z' : '2030-01-01T00:00:01Z' }),
    )
    for (let i = 0; i < lines.length; i += 700) await app.call('POST', '/logs/', lines.slice(i, i + 700))
    await app.call('POST', '/logs/', [
      log('last, "quoted"\nand broken', { flow_run_id: id, task_run_id: task, level: 40, timestamp: '2030-01-02T00:00:00Z' }),
    ])

    const { statusCode, headers, body } = await app.server.inject(`/flow_runs/${id}/logs/download`)
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    const rows = body.split('\r\n')
    expect(rows).toHaveLength(2103)
    expect(rows[0]).toBe('timestamp,level,flow_run_id,task_run_id,message')
    expect(rows[1]).toBe(`2030-01-01 00:00:00.500000+00:00,20,${id},,line 0`)
    expect(rows.slice(1, 2101).map((row) => row.split(',')[4])).toEqual(lines.map(({ message }) => message))
    expect(rows[2101]).toBe(`2030-01-02 00:00:00+00:00,40,${id},${task},"last, ""quoted""\nand broken"`)
    expect((await app.call('GET', `/flow_runs/${other}/logs/download`)).status).toBe(404)
  })

  test('are escaped against spreadsheet formulas', async () => {
    const app = await setup()
    const flow = await app.call('POST', '/flows/', { name: 'f' })
    const { id } = (await app.call('POST', '/flow_runs/', { flow_id: flow.body.id })).body
    await app.call('POST', '/logs/', [log('=HYPERLINK("x")', { flow_run_id: id }), log('-5', { flow_run_id: id })])
    const { body } = await app.server.inject(`/flow_runs/${id}/logs/download`)
    const messages = body.split('\r\n').map((row) => row.split(',')[4])
    expect(messages).toContain(`"'=HYPERLINK(""x"")"`)
    expect(messages).toContain('-5')
  })
})
