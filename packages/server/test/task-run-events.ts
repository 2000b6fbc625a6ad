import { seededRandom } from '../src/lib/random.ts'
import { formatTime, toMicros } from '../src/lib/time.ts'

/** An event of a client about the state of a task run. */
export type Sent = ReturnType<typeof stateEvent>

/** Ids that no other event of the process has. */
let lastId = 0
export const newId = () => {
  lastId += 1
  return `0198c1c2-aaaa-7bbb-8ccc-${String(lastId).padStart(12, '0')}`
}

export const stateEvent = (
  run: { id: string; flowRun: string | null; key: string },
  type: string,
  at: number,
  fields: Record<string, unknown> = {},
  name = type[0] + type.slice(1).toLowerCase(),
) => ({
  id: newId(),
  occurred: formatTime(at),
  event: `prefect.task-run.${name}`,
  resource: { 'prefect.resource.id': `prefect.task-run.${run.id}`, 'prefect.resource.name': 'n', 'prefect.orchestration': 'client' },
  related: run.flowRun ? [{ 'prefect.resource.id': `prefect.flow-run.${run.flowRun}`, 'prefect.resource.role': 'flow-run' }] : [],
  payload: {
    intended: { from: null, to: type },
    validated_state: { type, name, message: `at ${at}`, state_details: {}, data: null },
    task_run: { task_key: run.key, dynamic_key: '0', ...fields },
  },
})

export const start = toMicros('2030-01-01T00:00:00Z')

/** The events of a client about one run in order. Later events may omit fields of earlier ones. */
export function lifecycleEvents(run: { id: string; flowRun: string | null; key: string }, seed: number): Sent[] {
  const random = seededRandom(seed)
  const types = [
    'PENDING',
    'RUNNING',
    ...(random.next() < 0.4 ? ['SCHEDULED', 'RUNNING'] : []),
    ['COMPLETED', 'FAILED', 'CRASHED'][Math.floor(random.next() * 3)] as string,
  ]
  let at = start + Math.floor(random.next() * 1000)
  return types.map((type, index) => {
    at += 1 + Math.floor(random.next() * 3)
    const fields: Record<string, unknown> = { name: `run ${index}`, run_count: index }
    if (random.next() < 0.6) fields.tags = [`t${index}`]
    if (random.next() < 0.5) fields.start_time = formatTime(at)
    if (random.next() < 0.5) fields.total_run_time = index + 0.5
    if (random.next() < 0.3) fields.labels = { l: index }
    return stateEvent(run, type, at, fields)
  })
}

/** Shuffled, with duplicates, split into requests of random length. */
export function shuffledBatches(events: readonly Sent[], seed: number): Sent[][] {
  const random = seededRandom(seed)
  const sent = [...events, ...events.filter(() => random.next() < 0.3)]
  for (let i = sent.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random.next() * (i + 1))
    ;[sent[i], sent[j]] = [sent[j] as Sent, sent[i] as Sent]
  }
  const requests: Sent[][] = []
  while (sent.length > 0) requests.push(sent.splice(0, 1 + Math.floor(random.next() * 3)))
  return requests
}
