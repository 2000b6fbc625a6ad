import { afterEach, expect, test } from 'vitest'
import { migratedPostgres } from './databases.ts'
import { startApp, type TestApp } from './setup.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** Two servers of one database. The first one takes it for granted that it is alone. */
async function startUnnoticed(): Promise<{ first: TestApp; other: TestApp; flow_id: string }> {
  const { url, drop } = await migratedPostgres()
  open.push(drop)
  const [first, other] = [await startApp(url, { assumesAlone: true }), await startApp(url, { seed: 2 })]
  other.clock.advance(3600)
  open.push(first.close, other.close)
  return { first, other, flow_id: (await first.call('POST', '/flows/', { name: 'a' })).body.id }
}

const pending = { type: 'PENDING' }

const createRun = async (app: TestApp, flow_id: string): Promise<string> =>
  (await app.call('POST', '/flow_runs/', { flow_id, state: pending })).body.id

async function propose(app: TestApp, run: string, type: string): Promise<{ status: number; verdict?: string; state?: string }> {
  const { status, body } = await app.call('POST', `${run}/set_state`, { state: { type } })
  return status >= 400 ? { status } : { status, verdict: body.status, state: body.state?.type }
}

test('a transition of a flow run starts from what another server has written', async () => {
  const { first, other, flow_id } = await startUnnoticed()
  const run = `/flow_runs/${await createRun(first, flow_id)}`
  await propose(other, run, 'RUNNING')
  // From Pending it would be the first attempt.
  expect(await propose(first, run, 'COMPLETED')).toEqual({ status: 201, verdict: 'ACCEPT', state: 'COMPLETED' })
  const { body } = await first.call('GET', run)
  expect([body.run_count, body.total_run_time > 0]).toEqual([1, true])
})

test('what is refused is refused by the present state', async () => {
  const { first, other, flow_id } = await startUnnoticed()
  const run = `/flow_runs/${await createRun(first, flow_id)}`
  await propose(other, run, 'SCHEDULED')
  // From Pending to Pending would be refused.
  expect(await propose(first, run, 'PENDING')).toEqual({ status: 201, verdict: 'ACCEPT', state: 'PENDING' })
})

test('a run that another server has deleted is not found, and the other runs of its transaction are changed', async () => {
  const { first, other, flow_id } = await startUnnoticed()
  const runs = [`/flow_runs/${await createRun(first, flow_id)}`, `/flow_runs/${await createRun(first, flow_id)}`]
  await other.call('DELETE', runs[0] as string)
  const results = await Promise.all(runs.map((run) => propose(first, run, 'RUNNING')))
  expect(results).toEqual([{ status: 404 }, { status: 201, verdict: 'ACCEPT', state: 'RUNNING' }])
  expect((await first.call('GET', `/flow_run_states/?flow_run_id=${runs[0]?.split('/').at(-1)}`)).body).toEqual([])
})

test('a task run that another server has created is found by its keys', async () => {
  const { first, other, flow_id } = await startUnnoticed()
  const task = { flow_run_id: await createRun(first, flow_id), task_key: 'a', dynamic_key: '1' }
  await propose(first, `/flow_runs/${task.flow_run_id}`, 'RUNNING')
  const made = await other.call('POST', '/task_runs/', task)
  const [again, next] = await Promise.all([first.call('POST', '/task_runs/', task), first.call('POST', '/task_runs/', { ...task, dynamic_key: '2' })])
  expect([again.status, again.body.id]).toEqual([200, made.body.id])
  expect(next.status).toBe(201)
})

test('a transition of a task run starts from what another server has written', async () => {
  const { first, other, flow_id } = await startUnnoticed()
  const flow_run_id = await createRun(first, flow_id)
  await propose(first, `/flow_runs/${flow_run_id}`, 'RUNNING')
  for (const dynamic_key of ['1', '2']) {
    const { body } = await first.call('POST', '/task_runs/', { flow_run_id, task_key: 'a', dynamic_key, state: pending })
    await propose(other, `/task_runs/${body.id}`, 'RUNNING')
    expect(await propose(first, `/task_runs/${body.id}`, 'COMPLETED')).toMatchObject({ verdict: 'ACCEPT' })
    const { body: run } = await first.call('GET', `/task_runs/${body.id}`)
    expect([run.run_count, run.total_run_time > 0]).toEqual([1, true])
  }
})

test('changes of this server are seen at once: labels, tags, limits and deleted keys', async () => {
  const { first, flow_id } = await startUnnoticed()
  const flow_run_id = await createRun(first, flow_id)
  await first.call('PATCH', `/flow_runs/${flow_run_id}/labels`, { stage: 'test' })
  const task = { flow_run_id, task_key: 'a', dynamic_key: '1', tags: ['scarce'], state: pending }
  const made = (await first.call('POST', '/task_runs/', task)).body
  expect(made.labels).toMatchObject({ stage: 'test' })
  await propose(first, `/flow_runs/${flow_run_id}`, 'RUNNING')
  await first.call('POST', '/concurrency_limits/', { tag: 'scarce', concurrency_limit: 0 })
  expect(await propose(first, `/task_runs/${made.id}`, 'RUNNING')).toMatchObject({ verdict: 'ABORT' })
  await first.call('DELETE', `/task_runs/${made.id}`)
  const again = await first.call('POST', '/task_runs/', task)
  expect([again.status, again.body.id === made.id]).toEqual([201, false])
})

test('task runs of a flow run that another server has stopped do not start', async () => {
  const { first, other, flow_id } = await startUnnoticed()
  const flow_run_id = await createRun(first, flow_id)
  await propose(first, `/flow_runs/${flow_run_id}`, 'RUNNING')
  const tasks = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const { body } = await first.call('POST', '/task_runs/', { flow_run_id, task_key: 'a', dynamic_key: String(n), state: pending })
      return `/task_runs/${body.id}`
    }),
  )
  await propose(other, `/flow_runs/${flow_run_id}`, 'CANCELLED')
  const answers = await Promise.all(tasks.map((task) => propose(first, task, 'RUNNING')))
  expect(answers).toEqual(tasks.map(() => expect.objectContaining({ verdict: 'ABORT' })))
})

test('a tag limit that another server has created admits no more than it has slots', async () => {
  const { first, other, flow_id } = await startUnnoticed()
  const flow_run_id = await createRun(first, flow_id)
  await propose(first, `/flow_runs/${flow_run_id}`, 'RUNNING')
  const create = async (app: TestApp, dynamic_key: string) => {
    const { body } = await app.call('POST', '/task_runs/', { flow_run_id, task_key: 'a', dynamic_key, tags: ['scarce'], state: pending })
    return `/task_runs/${body.id}`
  }
  const tasks: string[] = []
  for (let n = 0; n < 5; n += 1) tasks.push(await create(first, String(n)))
  await other.call('POST', '/concurrency_limits/', { tag: 'scarce', concurrency_limit: 1 })
  await propose(other, await create(other, '5'), 'RUNNING')
  const answers = await Promise.all(tasks.map((task) => propose(first, task, 'RUNNING')))
  expect(answers.map(({ verdict }) => verdict)).toEqual(tasks.map(() => 'WAIT'))
})
