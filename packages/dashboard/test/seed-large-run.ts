import { addSeconds } from '../../server/src/lib/time.ts'
import type { SeededServer } from './seeded-server.ts'

const atOnce = 250
const stages = ['fetch', 'parse', 'clean', 'join', 'score', 'write']

/** Creates a completed run of many tasks in one hour. Each has up to two inputs, so there are about twice as many edges as nodes. */
export async function seedLargeRun({ call, clock, random }: SeededServer, tasks: number): Promise<string> {
  const present = clock.now()
  const start = addSeconds(present, -3600)
  clock.set(start)
  const flow = await call('POST', '/flows/', { name: 'wide-load' })
  const { id } = await call('POST', '/flow_runs/', { flow_id: flow.id, name: 'ten-thousand', state: { type: 'RUNNING' } })
  const ids: string[] = []
  for (let from = 0; from < tasks; from += atOnce) {
    clock.set(addSeconds(start, (from / tasks) * 3500))
    const batch = Array.from({ length: Math.min(atOnce, tasks - from) }, (_, index) => from + index)
    const made = await Promise.all(
      batch.map((number) => {
        const before = () => ids[Math.max(0, from - 1 - Math.floor(random.next() * atOnce * 2))]
        const sources = from === 0 ? [] : [before(), before()].map((source) => ({ input_type: 'task_run', id: source }))
        const stage = stages[number % stages.length]
        return call('POST', '/task_runs/', {
          flow_run_id: id,
          task_key: stage,
          dynamic_key: String(number),
          name: `${stage}-${number}`,
          state: { type: 'RUNNING' },
          task_inputs: sources.length > 0 ? { rows: sources } : {},
        })
      }),
    )
    ids.push(...made.map((each) => each.id))
    clock.set(addSeconds(start, (from / tasks) * 3500 + 30 + random.next() * 60))
    await Promise.all(
      made.map((each, index) => {
        const type = index % 97 === 50 ? 'FAILED' : index % 211 === 100 ? 'CANCELLED' : 'COMPLETED'
        return call('POST', `/task_runs/${each.id}/set_state`, { state: { type }, force: true })
      }),
    )
  }
  await call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'COMPLETED' }, force: true })
  clock.set(undefined)
  return id
}
