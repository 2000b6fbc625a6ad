import { addSeconds, formatTime, type Micros } from '../../server/src/lib/time.ts'
import type { SeededServer } from './seeded-server.ts'

interface Failed {
  readonly id: string
  readonly start: Micros
  readonly deployment: string
}

/** Adds a completed run to compare with a failed run of the same deployment. Both get tasks. */
export async function seedComparedRun({ call, clock }: SeededServer, failed: Failed): Promise<string> {
  const setState = (noun: string, id: string, type: string, message?: string) =>
    call('POST', `/${noun}/${id}/set_state`, { state: { type, message }, force: true })
  const addTasks = async (runId: string, start: Micros, tasks: readonly (readonly [name: string, from: number, to: number, end?: string])[]) => {
    for (const [name, from, to, end = 'COMPLETED'] of tasks) {
      clock.set(addSeconds(start, from))
      const task = await call('POST', '/task_runs/', { flow_run_id: runId, task_key: name.replace(/-\d+$/, ''), dynamic_key: name, name })
      await setState('task_runs', task.id, 'RUNNING')
      clock.set(addSeconds(start, to))
      await setState('task_runs', task.id, end)
    }
  }
  const start = addSeconds(failed.start, -4200)
  clock.set(addSeconds(start, -12))
  const { id } = await call('POST', `/deployments/${failed.deployment}/create_flow_run`, {
    name: 'stony-dormouse',
    parameters: { full: true, customers: { since: '2026-11-01' } },
    state: { type: 'SCHEDULED', state_details: { scheduled_time: formatTime(addSeconds(start, -3)) } },
  })
  clock.set(start)
  await setState('flow_runs', id, 'RUNNING')
  await addTasks(id, start, [
    ['extract-1', 1, 8],
    ['extract-2', 2, 9],
    ['extract-3', 2, 11],
    ['join-1', 12, 15],
    ['load-1', 15, 24],
  ])
  clock.set(addSeconds(start, 26))
  await setState('flow_runs', id, 'COMPLETED', 'All states completed.')
  await addTasks(failed.id, failed.start, [
    ['extract-1', 1, 9],
    ['extract-2', 1, 10],
    ['extract-3', 2, 36, 'FAILED'],
  ])
  return id
}
