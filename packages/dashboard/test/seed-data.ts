import { serviceActor } from '../../server/src/lib/actor.ts'
import { addSeconds, formatTime, type Micros } from '../../server/src/lib/time.ts'
import { workerMonitor } from '../../server/src/services/worker-monitor.ts'
import { actAs } from '../../server/src/storage/server-context.ts'
import { createRunNames } from './run-names.ts'
import { type SeedAutomations, seedAutomations } from './seed-automations.ts'
import { type SeedCapacity, seedCapacity } from './seed-capacity.ts'
import { seedComparedRun } from './seed-compared-run.ts'
import { deploymentSpecs } from './seed-deployments.ts'
import { seedStoredData } from './seed-stored-data.ts'
import type { SeededServer } from './seeded-server.ts'

/** IDs of the seeded objects: one day of runs of a small company. */
export interface SeedData extends SeedAutomations, SeedCapacity {
  readonly flows: Readonly<Record<string, string>>
  readonly deployments: Readonly<Record<string, string>>
  /** A running run with tasks, logs and artifacts. */
  readonly runningRun: string
  readonly failedRun: string
  readonly lateRun: string
  readonly pausedRun: string
  /** A completed run of the failed run's deployment. */
  readonly comparedRun: string
  /** The first task run of `runningRun`. */
  readonly taskRun: string
}

const failures = [
  'Task run extract-3 failed: requests.exceptions.ConnectTimeout: crm.example.com:443 did not answer within 10 s',
  "Flow run encountered an exception: KeyError: 'customer_id'",
  'Finished in state Failed: 2 of 14 task runs failed',
]

const hours = 24
const soonestSeconds = 2400

/** Seeds a server with about 300 runs. Takes one to two seconds. */
export async function seedData(seeded: SeededServer): Promise<SeedData> {
  const { call, clock, random } = seeded
  const present = clock.now()
  const between = ([least, most]: readonly [number, number]) => least + random.next() * (most - least)
  clock.set(addSeconds(present, -(hours + 1) * 3600))

  for (const [name, type, limit] of [
    ['kubernetes', 'kubernetes', 8],
    ['process', 'process', null],
    ['gpu', 'docker', 2],
    ['backfills', 'process', 4],
  ] as const) {
    await call('POST', '/work_pools/', { name, type, concurrency_limit: limit, description: `Runs on ${type}` })
  }
  await call('POST', '/work_pools/gpu/workers/heartbeat', { name: 'gpu-box-1', heartbeat_interval_seconds: 30 })
  await call('PATCH', '/work_pools/backfills', { is_paused: true })

  const flows: Record<string, string> = {}
  const deployments: Record<string, string> = {}
  for (const spec of deploymentSpecs) {
    flows[spec.flow] = (await call('POST', '/flows/', { name: spec.flow, tags: spec.tags.slice(0, 1) })).id
    deployments[spec.flow] = (
      await call('POST', '/deployments/', {
        name: spec.deployment,
        flow_id: flows[spec.flow],
        work_pool_name: spec.pool,
        tags: spec.tags,
        parameters: spec.parameters,
        schedules: [{ active: false, schedule: { interval: spec.everyMinutes * 60 } }],
        description: `Runs ${spec.flow} every ${spec.everyMinutes} minutes`,
      })
    ).id
  }

  /** Timed steps, executed in order of time. */
  const steps: { readonly when: Micros; readonly run: () => Promise<unknown> }[] = []
  const schedule = (when: Micros, run: () => Promise<unknown>) => steps.push({ when, run })
  const nextName = createRunNames()
  const create = (flow: string, when: Micros, name = nextName()) =>
    call('POST', `/deployments/${deployments[flow]}/create_flow_run`, {
      name,
      state: { type: 'SCHEDULED', state_details: { scheduled_time: formatTime(when) } },
    })
  const setState = (id: string, type: string, more: object = {}) =>
    call('POST', `/flow_runs/${id}/set_state`, { state: { type, ...more }, force: true })

  const ended: Record<string, string> = {}
  for (const spec of deploymentSpecs) {
    const every = spec.everyMinutes * 60
    for (
      let when = addSeconds(present, -hours * 3600 + random.next() * every);
      when < addSeconds(present, -spec.seconds[1] - 60);
      when = addSeconds(when, every)
    ) {
      const start = addSeconds(when, between([1, 6]))
      const end = addSeconds(start, between(spec.seconds))
      const outcome = random.next()
      const id = { current: '' }
      schedule(addSeconds(when, -30), async () => {
        id.current = (await create(spec.flow, when)).id
      })
      schedule(addSeconds(start, -1), () => setState(id.current, 'PENDING'))
      schedule(start, () => setState(id.current, 'RUNNING'))
      schedule(end, async () => {
        if (outcome < spec.failShare) {
          await setState(id.current, outcome < spec.failShare / 4 ? 'CRASHED' : 'FAILED', {
            message: failures[Math.floor(random.next() * failures.length)],
          })
          ended.failed = id.current
        } else if (outcome > 0.985) await setState(id.current, 'CANCELLED', { message: 'Cancelled by ada' })
        else await setState(id.current, 'COMPLETED', { message: 'All states completed.' })
      })
    }
  }
  // The last two runs of one deployment fail, so that the home page shows a failing deployment.
  for (const [minutes, name] of [
    [40, 'stony-badger'],
    [9, 'stony-beaver'],
  ] as const) {
    const id = { current: '' }
    const when = addSeconds(present, -minutes * 60)
    schedule(addSeconds(when, -5), async () => {
      id.current = (await create('sync-crm', when, name)).id
    })
    schedule(when, () => setState(id.current, 'RUNNING'))
    schedule(addSeconds(when, 38), async () => {
      await setState(id.current, 'FAILED', { message: failures[0] })
      ended.failed = id.current
    })
  }
  steps.sort((a, b) => a.when - b.when)
  for (const { when, run } of steps) {
    clock.set(when)
    await run()
  }

  const comparedRun = await seedComparedRun(seeded, {
    id: ended.failed as string,
    start: addSeconds(present, -540),
    deployment: deployments['sync-crm'] as string,
  })

  const running: string[] = []
  for (const [flow, secondsAgo, tasks, name] of [
    ['warehouse-load', 1900, 46, 'copper-heron'],
    ['refresh-features', 260, 12, 'copper-lynx'],
    ['ingest-orders', 48, 9, 'copper-ibex'],
  ] as const) {
    const start = addSeconds(present, -secondsAgo)
    clock.set(addSeconds(start, -4))
    const { id } = await create(flow, addSeconds(start, -2), name)
    clock.set(start)
    await setState(id, 'PENDING')
    await setState(id, 'RUNNING')
    await seedTasks(seeded, id, start, secondsAgo, tasks)
    running.push(id)
  }
  await seedLogs(seeded, running[0] as string, addSeconds(present, -1900), 1900)
  await seedLogs(seeded, ended.failed as string, addSeconds(present, -540), 38)

  const late: string[] = []
  for (const [minutes, name] of [
    [52, 'frosty-bison'],
    [21, 'frosty-moth'],
    [6, 'frosty-toad'],
  ] as const) {
    clock.set(addSeconds(present, -minutes * 60 - 60))
    const { id } = await create('train-forecast', addSeconds(present, -minutes * 60), name)
    clock.set(addSeconds(present, -minutes * 60 + 20))
    await setState(id, 'SCHEDULED', { name: 'Late', state_details: { scheduled_time: formatTime(addSeconds(present, -minutes * 60)) } })
    late.push(id)
  }
  const paused = await seedPaused(seeded, deployments['render-reports'] as string, present)

  for (const spec of deploymentSpecs) {
    for (let step = 1; step <= 3; step++) {
      // Later than the end of all tests: due runs would be listed and become late.
      const when = addSeconds(present, soonestSeconds + spec.everyMinutes * 60 * (step - 1) + random.next() * spec.everyMinutes * 30)
      clock.set(addSeconds(present, -60))
      await create(spec.flow, when)
    }
  }
  clock.set(undefined)
  await sendHeartbeats(seeded)
  await workerMonitor.runOnce(actAs(seeded.app.context, serviceActor(workerMonitor.name)), new AbortController().signal)
  await seedStoredData(seeded, running[0] as string)
  const [task] = await call('POST', '/task_runs/filter', { flow_runs: { id: { any_: [running[0]] } }, sort: 'EXPECTED_START_TIME_ASC', limit: 1 })
  const reactions = await seedAutomations(seeded, {
    flow: flows['sync-crm'] as string,
    deployment: deployments['sync-crm'] as string,
    run: ended.failed as string,
  })
  return {
    ...reactions,
    ...(await seedCapacity(seeded, flows['ingest-orders'] as string, running[0] as string)),
    taskRun: task.id,
    flows,
    deployments,
    runningRun: running[0] as string,
    failedRun: ended.failed as string,
    comparedRun,
    lateRun: late[0] as string,
    pausedRun: paused,
  }
}

/** Keeps workers online and queues ready. A server that starts on a copy of an older seed sends these again. */
export async function sendHeartbeats({ call, clock }: SeededServer): Promise<void> {
  for (const [pool, worker] of [
    ['kubernetes', 'k8s-worker-a'],
    ['kubernetes', 'k8s-worker-b'],
    ['process', 'mill-01'],
    ['backfills', 'mill-02'],
  ]) {
    await call('POST', `/work_pools/${pool}/workers/heartbeat`, { name: worker, heartbeat_interval_seconds: 30 })
  }
  for (const pool of ['kubernetes', 'process']) {
    await call('POST', `/work_pools/${pool}/get_scheduled_flow_runs`, { scheduled_before: formatTime(addSeconds(clock.now(), -86_400 * 7)) })
  }
}

async function seedTasks({ call, clock, random }: SeededServer, flowRunId: string, start: Micros, seconds: number, count: number): Promise<void> {
  const stages = ['extract', 'clean', 'join', 'aggregate', 'load']
  const setState = (id: string, type: string, message?: string) =>
    call('POST', `/task_runs/${id}/set_state`, { state: { type, message }, force: true })
  const made: string[] = []
  const back = Math.ceil(count / stages.length)
  for (let index = 0; index < count; index++) {
    const stage = stages[Math.floor((index / count) * stages.length)] as string
    const begun = addSeconds(start, (index / count) * seconds * 0.95)
    clock.set(addSeconds(begun, -1))
    const { id } = await call('POST', '/task_runs/', {
      flow_run_id: flowRunId,
      task_key: stage,
      dynamic_key: String(index),
      name: `${stage}-${index}`,
      tags: stage === 'load' ? ['warehouse'] : [],
      // Each task has two inputs from the previous stage.
      task_inputs:
        index < back ? {} : { rows: [made[index - back], made[index - back + 1]].map((source) => ({ input_type: 'task_run', id: source })) },
    })
    made.push(id)
    if (index >= count - 2) continue
    clock.set(begun)
    await setState(id, 'RUNNING')
    if (index >= count - 5) continue
    clock.set(addSeconds(begun, Math.min(seconds * 0.04, 1 + (random.next() * seconds * 3) / count)))
    await (index === Math.floor(count / 3) ? setState(id, 'FAILED', 'ValueError: 3 rows without a key') : setState(id, 'COMPLETED'))
  }
}

async function seedLogs({ call, random }: SeededServer, flowRunId: string, start: Micros, seconds: number): Promise<void> {
  const tables = ['orders', 'customers', 'shipments', 'returns', 'prices']
  const logs = Array.from({ length: 420 }, (_, index) => {
    const table = tables[index % tables.length]
    const roll = random.next()
    const [level, message] =
      index === 0
        ? [20, `Beginning flow run 'copper-heron' for flow 'warehouse-load'`]
        : roll < 0.02
          ? [
              40,
              `Could not write \u001b[1m${table}\u001b[0m: \u001b[31mdeadlock detected\u001b[0m\n  Process 41 waits for ShareLock on transaction 7731\n  Hint: see https://wiki.example.com/deadlocks for what to do`,
            ]
          : roll < 0.07
            ? [30, `\u001b[33mSlow query\u001b[0m on ${table}: ${(2 + roll * 90).toFixed(1)} s`]
            : roll < 0.3
              ? [10, `page ${index} of ${table}: cursor=${Math.floor(roll * 1e9)}`]
              : [
                  20,
                  `\u001b[32m✓\u001b[0m ${table}: ${Math.floor(roll * 9000)} rows loaded, checksum \u001b[2m${Math.floor(roll * 2 ** 32).toString(16)}\u001b[0m`,
                ]
    return { name: 'prefect.flow_runs', level, message, timestamp: formatTime(addSeconds(start, (index / 420) * seconds)), flow_run_id: flowRunId }
  })
  await call('POST', '/logs/', logs)
}

/** A paused run that requests a choice, a number and a note. */
async function seedPaused({ call, clock }: SeededServer, deploymentId: string, present: Micros): Promise<string> {
  clock.set(addSeconds(present, -1500))
  const { id } = await call('POST', `/deployments/${deploymentId}/create_flow_run`, { name: 'patient-hare' })
  await call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'RUNNING' }, force: true })
  clock.set(addSeconds(present, -1200))
  const schema = {
    title: 'Approval',
    type: 'object',
    properties: {
      verdict: { title: 'Verdict', type: 'string', enum: ['publish', 'hold', 'discard'], position: 0 },
      copies: { title: 'Copies', type: 'integer', default: 1, description: 'How many to print', position: 1 },
      note: { title: 'Note', type: 'string', position: 2 },
      notify: { title: 'Tell the team', type: 'boolean', default: true, position: 3 },
    },
    required: ['verdict', 'note'],
  }
  await call('POST', `/flow_runs/${id}/input`, { key: 'approval-schema', value: JSON.stringify(schema) })
  await call('POST', `/flow_runs/${id}/input`, { key: 'approval-description', value: 'The quarterly report is rendered. Shall it go out?' })
  await call('POST', `/flow_runs/${id}/set_state`, {
    state: {
      type: 'PAUSED',
      name: 'Suspended',
      message: 'Waits for approval',
      state_details: {
        pause_timeout: formatTime(addSeconds(present, 7200)),
        pause_reschedule: true,
        run_input_keyset: { schema: 'approval-schema', response: 'approval-response', description: 'approval-description' },
      },
    },
    force: true,
  })
  return id
}
