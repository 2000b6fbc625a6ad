import { formatTime } from '@millrace/server/lib/time.ts'
import { startOfTime } from '../kernel/patch-globals.ts'
import { Client, sleep } from './client.ts'
import type { World } from './world.ts'

/** The longest delay of an event. */
const delaySecondsMax = 60

/** Sends the events of a task run shuffled, doubled and late. The state with the latest time must win. */
export function sendTaskEvents(world: World, flowRunId: string): void {
  const { loop, network, ledger } = world
  const client = new Client(loop, network, `tasks-${flowRunId.slice(-6)}`)
  const id = client.newId()
  const final = loop.pick(['COMPLETED', 'FAILED', 'CRASHED'])
  const events = ['PENDING', 'RUNNING', final].map((type, n) => {
    const name = `${type[0]}${type.slice(1).toLowerCase()}`
    return {
      id: client.newId(),
      occurred: formatTime(startOfTime + loop.now + n),
      event: `prefect.task-run.${name}`,
      resource: { 'prefect.resource.id': `prefect.task-run.${id}`, 'prefect.resource.name': 'task', 'prefect.orchestration': 'client' },
      related: [{ 'prefect.resource.id': `prefect.flow-run.${flowRunId}`, 'prefect.resource.role': 'flow-run' }],
      payload: {
        intended: { from: null, to: type },
        validated_state: { type, name, message: '', state_details: {}, data: null },
        task_run: { task_key: 'reported', dynamic_key: id, name: 'task', run_count: 1 },
      },
    }
  })
  const sent = [...events, ...events.filter(() => loop.chance(0.3))]
  let open = sent.length
  for (const event of sent) {
    client.run(async () => {
      await sleep(loop.chance(0.05) ? loop.between(0, delaySecondsMax) : loop.between(0, 3))
      const { status } = await client.retry({ method: 'POST', path: '/events', body: [event] })
      if (status === 204) ledger.events.add(event.id)
      open -= 1
      if (open === 0) ledger.taskRuns.set(id, final)
    })
  }
}
