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
