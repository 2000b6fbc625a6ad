import { expect, test } from 'vitest'
import { createReplicaFactory } from './replicas.ts'
import { aFlowRun, Reporter, report, statusesOf } from './run-reports.ts'
import { newId } from './task-run-events.ts'

const startReplicas = createReplicaFactory()

test('of processes that start the same run on several servers one starts it, and only its reports are stored', async () => {
  const { apps } = await startReplicas(3)
  for (let round = 0; round < 15; round += 1) {
    const flowRun = await aFlowRun(apps[0]!)
    const told = apps.map((app, index) => {
      const run = new Reporter(flowRun)
      const task = { id: newId(), task_key: `of process ${index}` }
      return report(app, [run.state('RUNNING'), run.created(task, 1), run.log(`of process ${index}`), run.finished('COMPLETED')])
    })
    const answers = (await Promise.all(told)).map(statusesOf)
    const winner = answers.findIndex(([started]) => started === 'accepted')
    expect(answers.map((each) => each.every((status) => status === 'accepted'))).toEqual(answers.map((_, index) => index === winner))
    expect(answers.filter((_, index) => index !== winner).flat()).toEqual(Array(8).fill('OUTDATED_ATTEMPT'))
    const { body: tasks } = await apps[0]!.call('POST', '/task_runs/filter', { flow_runs: { id: { any_: [flowRun] } } })
    expect(tasks.map(({ task_key }: { task_key: string }) => task_key)).toEqual([`of process ${winner}`])
    const { body: lines } = await apps[0]!.call('POST', '/logs/filter', { logs: { flow_run_id: { any_: [flowRun] } } })
    expect(lines.map(({ message }: { message: string }) => message)).toEqual([`of process ${winner}`])
  }
}, 120_000)
