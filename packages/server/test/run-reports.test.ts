import { describe, expect, test } from 'vitest'
import { statement } from '../src/storage/database.ts'
import { aFlowRun, Reporter, report, statusesOf, timeAt } from './run-reports.ts'
import { eachDialect, type TestApp } from './setup.ts'
import { connect } from './socket-client.ts'
import { newId } from './task-run-events.ts'

const stateTypes = async (app: TestApp, kind: 'flow_run' | 'task_run', id: string) =>
  (await app.call('GET', `/${kind}_states/?${kind}_id=${id}`)).body.map(({ type }: { type: string }) => type)
const messages = async (app: TestApp, flowRun: string) =>
  (await app.call('POST', '/logs/filter', { logs: { flow_run_id: { any_: [flowRun] } } })).body.map(({ message }: { message: string }) => message)

eachDialect('POST /runs/report', (setup, dialect) => {
  test('records a whole run in one request', async () => {
    const app = await setup()
    const run = new Reporter(await aFlowRun(app))
    const task = { id: newId(), task_key: 'k' }
    const answers = await report(app, [
      run.state('RUNNING'),
      run.created({ ...task, name: 'task', tags: ['a'] }, 1),
      run.taskState(task, 'RUNNING', 2),
      run.log('hello', { task_run_id: task.id }),
      run.taskState(task, 'COMPLETED', 3),
      run.finished('COMPLETED'),
    ])
    expect(statusesOf(answers)).toEqual(Array(6).fill('accepted'))
    expect(answers.map(({ number, attempt }) => [number, attempt])).toEqual([1, 2, 3, 4, 5, 6].map((number) => [number, 1]))
    expect((await app.call('GET', `/flow_runs/${run.flowRun}`)).body).toMatchObject({ state_type: 'COMPLETED', run_count: 1 })
    expect((await app.call('GET', `/task_runs/${task.id}`)).body).toMatchObject({
      name: 'task',
      tags: ['a'],
      state: { type: 'COMPLETED', timestamp: timeAt(3) },
      flow_run_id: run.flowRun,
    })
    expect(await stateTypes(app, 'task_run', task.id)).toEqual(['PENDING', 'RUNNING', 'COMPLETED'])
    expect(await messages(app, run.flowRun)).toEqual(['hello'])
    expect(await app.eventNames()).toEqual([
      'prefect.flow.created',
      'prefect.flow-run.Pending',
      'prefect.flow-run.Running',
      'prefect.task-run.Pending',
      'prefect.task-run.Running',
      'prefect.task-run.Completed',
      'prefect.flow-run.Completed',
    ])
  })

  test('answers a repeated request again, without a second effect', async () => {
    const app = await setup()
    const run = new Reporter(await aFlowRun(app, { empirical_policy: { retries: 1 } }))
    const task = { id: newId(), task_key: 'k' }
    const records = [
      run.state('RUNNING'),
      run.created(task, 1),
      run.taskState(task, 'RUNNING', 2),
      run.log('once'),
      run.taskState(task, 'FAILED', 3),
      run.finished('FAILED'),
    ]
    const first = await report(app, records)
    expect(statusesOf(first)).toEqual([...Array(5).fill('accepted'), 'rejected into AwaitingRetry'])
    expect(first.at(-1)?.attempt).toBe(2)
    const before = await app.eventNames()
    expect(statusesOf(await report(app, records))).toEqual(statusesOf(first))
    expect(await app.eventNames()).toEqual(before)
    expect(await messages(app, run.flowRun)).toEqual(['once'])
    expect(await stateTypes(app, 'flow_run', run.flowRun)).toEqual(['PENDING', 'RUNNING', 'SCHEDULED'])
    expect(await stateTypes(app, 'task_run', task.id)).toEqual(['PENDING', 'RUNNING', 'FAILED'])
    expect((await app.call('GET', `/flow_runs/${run.flowRun}`)).body.run_count).toBe(1)
  })

  test('refuses records of an outdated attempt, whatever their kind', async () => {
    const app = await setup()
    const run = new Reporter(await aFlowRun(app))
    const start = run.state('RUNNING')
    expect((await report(app, [start]))[0]?.attempt).toBe(1)
    run.attempt = 1
    const old = [
      run.created({ id: newId(), task_key: 'k' }, 1),
      run.taskState({ id: newId(), task_key: 'l' }, 'RUNNING', 1),
      run.log('late'),
      run.state('PAUSED'),
      run.finished('COMPLETED'),
    ]
    // Somebody else takes the run over.
    await app.call('POST', `/flow_runs/${run.flowRun}/set_state`, { state: { type: 'SCHEDULED' }, force: true })
    expect(statusesOf(await report(app, old))).toEqual(Array(5).fill('OUTDATED_ATTEMPT'))
    // The first answer again, and nothing that follows from it.
    expect((await report(app, [start, ...old])).map(({ attempt, error }) => error?.code ?? attempt)).toEqual([
      1,
      ...Array(5).fill('OUTDATED_ATTEMPT'),
    ])
    expect(await messages(app, run.flowRun)).toEqual([])
    expect((await app.call('POST', '/task_runs/count', {})).body).toBe(0)
    expect((await app.call('GET', `/flow_runs/${run.flowRun}`)).body.state_type).toBe('SCHEDULED')
  })

  test('lets only the first of two processes start a run', async () => {
    const app = await setup()
    const [one, two] = [await aFlowRun(app)].flatMap((id) => [new Reporter(id), new Reporter(id)]) as [Reporter, Reporter]
    const answers = await Promise.all([report(app, [one.state('RUNNING')]), report(app, [two.state('RUNNING'), two.log('no')])])
    expect(answers.flatMap(statusesOf)).toEqual(['accepted', 'OUTDATED_ATTEMPT', 'OUTDATED_ATTEMPT'])
  })

  test('starts a run whose attempt the process does not know', async () => {
    const app = await setup()
    const run = new Reporter(await aFlowRun(app))
    await app.call('POST', `/flow_runs/${run.flowRun}/set_state`, { state: { type: 'RUNNING' } })
    const [started, line] = await report(app, [run.state('RUNNING', { attempt: null }), run.log('refused: it was written before the answer')])
    expect([started?.status, started?.attempt, line?.error?.code]).toEqual(['accepted', 2, 'OUTDATED_ATTEMPT'])
    run.attempt = 2
    expect(statusesOf(await report(app, [run.finished('COMPLETED')]))).toEqual(['accepted'])
  })

  test('keeps the attempt while a run is paused and resumed in its process', async () => {
    const app = await setup()
    const run = new Reporter(await aFlowRun(app))
    await report(app, [run.state('RUNNING')])
    run.attempt = 1
    const paused = { type: 'PAUSED' as const, state_details: { pause_timeout: timeAt(600), pause_key: 'p' } }
    expect(statusesOf(await report(app, [run.state('PAUSED', { state: paused })]))).toEqual(['accepted'])
    await app.call('POST', `/flow_runs/${run.flowRun}/resume`, {})
    expect((await report(app, [run.log('on')]))[0]).toMatchObject({ status: 'accepted', attempt: 1 })
  })

  test('raises the attempt when a suspended run is resumed', async () => {
    const app = await setup()
    const run = new Reporter(await aFlowRun(app, { empirical_policy: {} }))
    await report(app, [run.state('RUNNING')])
    run.attempt = 1
    await app.call('POST', `/flow_runs/${run.flowRun}/set_state`, { state: { type: 'SCHEDULED', name: 'Resuming' }, force: true })
    expect(statusesOf(await report(app, [run.log('late')]))).toEqual(['OUTDATED_ATTEMPT'])
  })

  test('applies the records of other runs if one run or record is refused', async () => {
    const app = await setup({ env: { MILLRACE_LOGS_MAXIMUM_MESSAGE_BYTES: '100' } })
    const [known, unknown] = [new Reporter(await aFlowRun(app)), new Reporter(newId())]
    const records = [
      known.state('RUNNING'),
      unknown.log('x'),
      known.log('y'.repeat(200)),
      known.finished('RUNNING'),
      known.taskState({ id: newId(), task_key: 'k' }, 'COMPLETED', 1),
      unknown.finished('COMPLETED'),
      known.log('z'),
    ].map((record, index) => ({ ...record, number: index + 10 }))
    const answers = await report(app, records)
    expect(statusesOf(answers)).toEqual(['accepted', 'NOT_FOUND', 'TOO_LARGE', 'BAD_REQUEST', 'accepted', 'NOT_FOUND', 'accepted'])
    expect(answers.map(({ number }) => number)).toEqual([10, 11, 12, 13, 14, 15, 16])
    expect(await messages(app, known.flowRun)).toEqual(['z'])
  })

  test('applies the records of a run one by one if the database refuses one of them', async () => {
    const app = await setup()
    await app.context.commands.submit(async (tx) => void (await tx.run(statement('create unique index one_name on task_run (name)'))))
    const run = new Reporter(await aFlowRun(app))
    const [one, two] = [newId(), newId()]
    const answers = await report(app, [
      run.state('RUNNING'),
      run.created({ id: one, task_key: 'k', name: 'same' }, 1),
      run.created({ id: two, task_key: 'l', name: 'same' }, 1),
      run.log('after'),
      run.finished('COMPLETED'),
    ])
    expect(statusesOf(answers)).toEqual(['accepted', 'accepted', 'CONFLICT', 'accepted', 'accepted'])
    expect((await app.call('GET', `/flow_runs/${run.flowRun}`)).body.state_type).toBe('COMPLETED')
  })

  test('rejects what the rules reject, with the reason', async () => {
    const app = await setup()
    const run = new Reporter(await aFlowRun(app))
    const [answer] = await report(app, [run.state('PAUSED')])
    expect(answer).toMatchObject({ status: 'rejected', attempt: 0, result: { status: 'REJECT', details: { rule: 'pause-flow-run' } }, error: null })
  })

  test('orders states of a task run by their time, also within a request', async () => {
    const app = await setup()
    const run = new Reporter(await aFlowRun(app))
    const task = { id: newId(), task_key: 'k' }
    await report(app, [run.taskState({ ...task, run_count: 2 }, 'COMPLETED', 5), run.taskState({ ...task, run_count: 1, name: 'n' }, 'RUNNING', 3)])
    await report(app, [run.taskState({ ...task, run_count: 0 }, 'PENDING', 1), run.taskState({ ...task, run_count: 1 }, 'RUNNING', 2)])
    expect((await app.call('GET', `/task_runs/${task.id}`)).body).toMatchObject({ state_type: 'COMPLETED', run_count: 2, name: 'n' })
    expect(await stateTypes(app, 'task_run', task.id)).toEqual(['PENDING', 'RUNNING', 'RUNNING', 'COMPLETED'])
  })

  test('keeps the first id of a task run that its keys identify', async () => {
    const app = await setup()
    const run = new Reporter(await aFlowRun(app))
    const [first, second] = [newId(), newId()]
    await report(app, [run.created({ id: first, task_key: 'k' }, 1), run.taskState({ id: second, task_key: 'k' }, 'RUNNING', 2)])
    expect((await app.call('GET', `/task_runs/${first}`)).body.state_type).toBe('RUNNING')
    expect((await app.call('GET', `/task_runs/${second}`)).status).toBe(404)
  })

  test('refuses a task run of another flow run', async () => {
    const app = await setup()
    const [one, other] = [new Reporter(await aFlowRun(app)), new Reporter(await aFlowRun(app))]
    const [stored, created] = [newId(), newId()]
    await report(app, [one.created({ id: stored, task_key: 'k' }, 1)])
    const records = [
      one.created({ id: created, task_key: 'l' }, 1),
      other.taskState({ id: stored, task_key: 'k' }, 'FAILED', 2),
      other.taskState({ id: created, task_key: 'l' }, 'FAILED', 2),
    ].map((record, number) => ({ ...record, number }))
    expect(statusesOf(await report(app, records))).toEqual(['accepted', 'ALREADY_EXISTS', 'ALREADY_EXISTS'])
    expect((await app.call('GET', `/task_runs/${stored}`)).body.state_type).toBe('PENDING')
  })

  test('keeps data as sent', async () => {
    const app = await setup()
    const run = new Reporter(await aFlowRun(app))
    const id = newId()
    const text = JSON.stringify({ records: [run.taskState({ id, task_key: 'k' }, 'COMPLETED', 1)] })
    const sent = text.replace('"type":"COMPLETED"', '"data":{"big":12345678901234567890,"1":1.0,"type":"ref"},"type":"COMPLETED"')
    expect((await app.call('POST', '/runs/report', sent)).status).toBe(200)
    expect((await app.server.inject({ url: `/task_runs/${id}` })).body).toContain('"data":{"big":12345678901234567890,"1":1.0,"type":"ref"}')
  })

  test.each([
    ['numbers that do not rise', (run: Reporter) => [run.log('a'), { ...run.log('b'), number: 1 }], 422],
    ['too many records', (run: Reporter) => Array.from({ length: 1001 }, () => run.log('a')), 422],
    ['too many states of a run', (run: Reporter) => Array.from({ length: 5 }, () => run.state('RUNNING')), 413],
    ['a long name', (run: Reporter) => [run.created({ id: newId(), task_key: 'k', name: 'n'.repeat(1001) }, 1)], 422],
    ['a long key', (run: Reporter) => [run.created({ id: newId(), task_key: 'ä'.repeat(700) }, 1)], 422],
    ['an unknown kind', (run: Reporter) => [{ ...run.log('a'), kind: 'other' }], 422],
    ['a record without attempt', (run: Reporter) => [{ ...run.log('a'), attempt: undefined }], 422],
  ])('refuses a request with %s', async (_what, records, status) => {
    const app = await setup()
    const run = new Reporter(await aFlowRun(app))
    expect((await app.call('POST', '/runs/report', { records: records(run) })).status).toBe(status)
    expect(await messages(app, run.flowRun)).toEqual([])
  })

  test('takes an empty request', async () => {
    expect(await report(await setup(), [])).toEqual([])
  })

  test.skipIf(dialect === 'sqlite')('waits for a row that somebody else holds, and keeps the order of a run', async () => {
    const app = await setup()
    const run = new Reporter(await aFlowRun(app))
    const task = { id: newId(), task_key: 'k' }
    await report(app, [run.state('RUNNING'), run.created(task, 1)])
    run.attempt = 1
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { promise: locked, resolve: onLocked } = Promise.withResolvers<void>()
    const other = app.context.commands.submit(async (tx) => {
      await tx.all(statement('select id from task_run where id = $1 for update'), [task.id])
      onLocked()
      await held
    })
    await locked
    const answers = report(app, [run.taskState(task, 'COMPLETED', 2), run.finished('COMPLETED')])
    release()
    await other
    expect(statusesOf(await answers)).toEqual(['accepted', 'accepted'])
    expect((await app.call('GET', `/task_runs/${task.id}`)).body.state_type).toBe('COMPLETED')
  })
})

eachDialect('the WebSocket /runs/report', (setup) => {
  test('answers each message in order, like POST /runs/report', async () => {
    const app = await setup()
    const run = new Reporter(await aFlowRun(app))
    const client = await connect(app, '/api/runs/report')
    const [start, line] = [run.state('RUNNING'), run.log('a')]
    client.send({ type: 'report', records: [start] })
    client.send({ type: 'report', records: [{ ...line, attempt: 1 }] })
    expect(await client.next()).toMatchObject({ type: 'reported', answers: [{ number: 1, status: 'accepted', attempt: 1 }] })
    expect(await client.next()).toMatchObject({ type: 'reported', answers: [{ number: 2, status: 'accepted', attempt: 1 }] })
    expect(await messages(app, run.flowRun)).toEqual(['a'])
  })

  test('refuses a message that is not a report, and goes on', async () => {
    const app = await setup()
    const run = new Reporter(await aFlowRun(app))
    const client = await connect(app, '/runs/report')
    client.send({ type: 'report', records: [{ kind: 'log' }] })
    client.send({ type: 'other' })
    client.send({ type: 'report', records: [run.log('b'), { ...run.log('a'), number: 0 }] })
    client.send({ type: 'report', records: [run.log('c')] })
    for (const _ of [1, 2, 3])
      expect(await client.next()).toMatchObject({ type: 'refused', error: { code: 'INVALID_REQUEST', message: expect.any(String) } })
    expect(await client.next()).toMatchObject({ type: 'reported', answers: [{ status: 'accepted' }] })
    expect(await messages(app, run.flowRun)).toEqual(['c'])
  })

  test('closes the connection for a message that is not JSON', async () => {
    const client = await connect(await setup(), '/runs/report')
    client.send('{')
    expect(await client.closed).toMatchObject({ code: 1007 })
  })

  test('reads no further while the client reads no answers', async () => {
    const app = await setup()
    const [run, elsewhere] = [new Reporter(await aFlowRun(app)), new Reporter(await aFlowRun(app))]
    const [client, other] = [await connect(app, '/runs/report'), await connect(app, '/runs/report')]
    client.pauseReading()
    const frames = 30
    const perFrame = 400
    for (let frame = 0; frame < frames; frame += 1) client.send({ type: 'report', records: Array.from({ length: perFrame }, () => run.log('x')) })
    const stored = async () => (await app.context.reads.kysely.selectFrom('log').select('id').where('flow_run_id', '=', run.flowRun).execute()).length
    // Others are served meanwhile; the messages of this one stop being read.
    let before = -1
    for (let same = 0, now = 0; same < 20; before = now) {
      other.send({ type: 'report', records: [elsewhere.log('y')] })
      await other.next()
      now = await stored()
      same = now > 0 && now === before ? same + 1 : 0
    }
    expect(before).toBeLessThan(frames * perFrame)
    client.resumeReading()
    for (let frame = 0; frame < frames; frame += 1) expect((await client.next()).type).toBe('reported')
    expect(await stored()).toBe(frames * perFrame)
  })

  test('answers a ping after the commit of the messages before it', async () => {
    const app = await setup()
    const run = new Reporter(await aFlowRun(app))
    const client = await connect(app, '/runs/report')
    client.send({ type: 'report', records: [run.log('a')] })
    await client.ping()
    expect(await messages(app, run.flowRun)).toEqual(['a'])
  })
})

describe('credentials', () => {
  eachDialect(
    'of the WebSocket /runs/report',
    (setup) => {
      test('are required before the first message', async () => {
        const app = await setup({ env: { MILLRACE_SERVER_API_AUTH_STRING: 'me:secret' } })
        await expect(connect(app, '/api/runs/report', { token: 'wrong' })).rejects.toThrow('1008')
        await connect(app, '/api/runs/report', { token: 'me:secret' })
      })
    },
    ['sqlite'],
  )
})
