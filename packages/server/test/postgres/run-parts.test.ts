import { expect, test } from 'vitest'
import { statement } from '../../src/storage/database.ts'
import { createReplicaFactory } from '../replicas.ts'
import type { TestApp } from '../setup.ts'

const replicas = createReplicaFactory()

const partsOf = async ({ context }: TestApp) =>
  context.reads.first(
    statement(`select (select count(*)::int from flow_run) as runs, (select count(*)::int from flow_run_state) as states,
      (select count(*)::int from flow_run_tag) as tags, (select count(*)::int from task_run) as tasks, (select count(*)::int from task_run_state) as task_states`),
  )
const nothing = { runs: 0, states: 0, tags: 0, tasks: 0, task_states: 0 }

async function createRun(app: TestApp, flowId: string, tags: readonly string[]): Promise<{ id: string; taskId: string }> {
  const { body: run } = await app.call('POST', '/flow_runs/', { flow_id: flowId, tags, state: { type: 'PENDING' } })
  const { body: task } = await app.call('POST', '/task_runs/', { flow_run_id: run.id, task_key: 't', dynamic_key: '0', state: { type: 'PENDING' } })
  return { id: run.id, taskId: task.id }
}

test('states and tags go with their run, task run or flow', async () => {
  const { apps } = await replicas(1)
  const app = apps[0] as TestApp
  const { body: flow } = await app.call('POST', '/flows/', { name: 'f' })
  const first = await createRun(app, flow.id, ['a', 'b', 'a'])
  const second = await createRun(app, flow.id, [])
  await createRun(app, flow.id, ['a'])
  await app.call('POST', `/flow_runs/${first.id}/set_state`, { state: { type: 'RUNNING' } })
  expect(await partsOf(app)).toEqual({ runs: 3, states: 4, tags: 3, tasks: 3, task_states: 3 })

  await app.call('DELETE', `/task_runs/${second.taskId}`)
  expect(await partsOf(app)).toEqual({ runs: 3, states: 4, tags: 3, tasks: 2, task_states: 2 })
  await app.call('DELETE', `/flow_runs/${first.id}`)
  expect(await partsOf(app)).toEqual({ runs: 2, states: 2, tags: 1, tasks: 1, task_states: 1 })
  await app.call('DELETE', `/flows/${flow.id}`)
  expect(await partsOf(app)).toEqual(nothing)
})

test('a run that is deleted while another server changes it leaves nothing behind', async () => {
  const { apps } = await replicas(2)
  const [app, other] = apps as [TestApp, TestApp]
  const { body: flow } = await app.call('POST', '/flows/', { name: 'f' })
  for (let round = 0; round < 5; round += 1) {
    const runs = await Promise.all(Array.from({ length: 8 }, () => createRun(app, flow.id, ['a'])))
    await Promise.all(
      runs.flatMap(({ id, taskId }) => [
        other.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'RUNNING' } }),
        other.call('POST', `/task_runs/${taskId}/set_state`, { state: { type: 'RUNNING' } }),
        other.call('PATCH', `/flow_runs/${id}`, { tags: ['b', 'c'] }),
        app.call('DELETE', `/flow_runs/${id}`),
      ]),
    )
  }
  expect(await partsOf(app)).toEqual(nothing)
})

/** Tags that are missing, too many, or sorted by other times than their run has. */
const wrongTags = statement(`select wanted.flow_run_id as wanted, stored.flow_run_id as stored from (
    select distinct tag, coalesce(start_time, expected_start_time) as started, expected_start_time as expected, id as flow_run_id
    from flow_run, jsonb_array_elements_text(tags) tag
  ) wanted full join flow_run_tag stored on stored.flow_run_id = wanted.flow_run_id and stored.tag = wanted.tag
    and stored.started is not distinct from wanted.started and stored.expected is not distinct from wanted.expected
  where wanted.flow_run_id is null or stored.flow_run_id is null`)
const delayStart = statement('update flow_run set start_time = start_time + 1, expected_start_time = expected_start_time - 1 where id = $1')

test('tags have the times of their run after writes of every kind', async () => {
  const { apps } = await replicas(1)
  const { call, context } = apps[0] as TestApp
  const { body: flow } = await call('POST', '/flows/', { name: 'f' })
  const create = async (tags: readonly string[]) =>
    (await call('POST', '/flow_runs/', { flow_id: flow.id, tags, state: { type: 'PENDING' } })).body.id
  const runs = await Promise.all([['a', 'b', 'a'], [], ['c'], ['ü"{}', 'NULL', '']].map(create))
  const expectRight = async () => expect(await context.reads.all(wrongTags)).toEqual([])
  await expectRight()
  for (const type of ['RUNNING', 'SCHEDULED', 'RUNNING', 'COMPLETED']) {
    await Promise.all(runs.map((id) => call('POST', `/flow_runs/${id}/set_state`, { state: { type }, force: true })))
    await expectRight()
  }
  await context.commands.submit((tx) => tx.run(delayStart, [runs[0]]))
  await expectRight()
  await Promise.all([call('PATCH', `/flow_runs/${runs[1]}`, { tags: ['d'] }), call('PATCH', `/flow_runs/${runs[2]}`, { tags: [] })])
  await expectRight()
})

test('runs of a transaction that enter one state are recorded by one row', async () => {
  const { apps } = await replicas(1)
  const { call, context } = apps[0] as TestApp
  const { body: flow } = await call('POST', '/flows/', { name: 'f' })
  const runs = await Promise.all([1, 2, 3].map(() => call('POST', '/flow_runs/', { flow_id: flow.id, state: { type: 'PENDING' } })))
  await Promise.all(runs.map(({ body }) => call('POST', `/flow_runs/${body.id}/set_state`, { state: { type: 'RUNNING' } })))
  expect(await context.reads.all(statement('select from_type, state_type, count from run_change order by state_type'))).toEqual([
    { from_type: null, state_type: 'PENDING', count: 3 },
    { from_type: 'PENDING', state_type: 'RUNNING', count: 3 },
  ])
})
