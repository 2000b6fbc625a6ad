import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { seedWorkPool } from '../../test/seed-work-pool.ts'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { connect } from '../../test/socket-client.ts'
import { formatTime } from '../lib/time.ts'
import { statement } from '../storage/database.ts'
import type { ActingContext } from '../storage/server-context.ts'
import { zombieRuns } from './zombie-runs.ts'

const nothingChanged = { crashed: 0, rescheduled: 0, freed_slots: 0 }
const runPass = (context: ActingContext) => zombieRuns.runOnce(context, new AbortController().signal)

async function createRunningRuns(app: TestApp, count: number, body: object = {}): Promise<string[]> {
  const flow_id = (await app.call('POST', '/flows/', { name: 'f' })).body.id
  const made = await Promise.all(
    Array.from({ length: count }, () => app.call('POST', '/flow_runs/', { flow_id, state: { type: 'RUNNING' }, ...body })),
  )
  return made.map(({ body: run }) => run.id)
}

const heartbeat = (app: TestApp, id: string, occurred = app.clock.now()) => ({
  id: randomUUID(),
  event: 'prefect.flow-run.heartbeat',
  occurred: formatTime(occurred),
  resource: { 'prefect.resource.id': `prefect.flow-run.${id}`, 'prefect.resource.name': 'a run' },
  related: [],
  payload: {},
})

async function sendHeartbeats(app: TestApp, ids: readonly string[]): Promise<void> {
  const { status } = await app.call(
    'POST',
    '/events',
    ids.map((id) => heartbeat(app, id)),
  )
  expect(status).toBe(204)
}

/** Passes every ten seconds; the sum of their reports. Every 30 seconds the runs given send a heartbeat. */
async function runPasses(
  app: TestApp,
  seconds: number,
  alive: readonly string[] = [],
  context: ActingContext = app.context,
): Promise<typeof nothingChanged> {
  const sum = { ...nothingChanged }
  for (let at = 10; at <= seconds; at += 10) {
    app.clock.advance(10)
    if (at % 30 === 0) await sendHeartbeats(app, alive)
    const report = await runPass(context)
    for (const name of ['crashed', 'rescheduled', 'freed_slots'] as const) sum[name] += report[name] ?? 0
  }
  return sum
}

/** The runs have sent so many heartbeats that it is known how often they do. */
async function learnHeartbeatInterval(app: TestApp, ids: readonly string[]): Promise<void> {
  await sendHeartbeats(app, ids)
  expect(await runPasses(app, 60, ids)).toEqual(nothingChanged)
}

const stateOf = async (app: TestApp, id: string) => (await app.call('GET', `/flow_runs/${id}`)).body

eachDialect('zombie-runs', (setup) => {
  test('crashes every run whose process died, within three heartbeats and a pass, and no healthy one', async () => {
    const app = await setup()
    const ids = await createRunningRuns(app, 60)
    const [dead, healthy] = [ids.slice(0, 30), ids.slice(30)]
    await learnHeartbeatInterval(app, ids)
    expect(await runPasses(app, 90, healthy)).toEqual(nothingChanged)
    expect(await runPasses(app, 20, healthy)).toEqual({ ...nothingChanged, crashed: 30 })
    for (const id of dead) {
      expect(await stateOf(app, id)).toMatchObject({
        state_type: 'CRASHED',
        state: { message: expect.stringMatching(/^No heartbeat for (9\d|1[01]\d) s, expected one every 30 s: the process of this run is gone\.$/) },
      })
    }
    expect(await runPasses(app, 600, healthy)).toEqual(nothingChanged)
    for (const id of healthy) expect((await stateOf(app, id)).state_type).toBe('RUNNING')
    expect((await app.eventNames()).filter((event) => event === 'prefect.flow-run.Crashed')).toHaveLength(30)
  })

  test('ignores runs that ended, are paused or await a retry', async () => {
    const app = await setup()
    const [completed, paused, retried] = (await createRunningRuns(app, 3, { empirical_policy: { retries: 1, retry_delay: 3600 } })) as [
      string,
      string,
      string,
    ]
    await learnHeartbeatInterval(app, [completed, paused, retried])
    for (const [id, type] of [
      [completed, 'COMPLETED'],
      [paused, 'PAUSED'],
      [retried, 'FAILED'],
    ])
      await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type } })
    await sendHeartbeats(app, [completed, paused, retried])
    expect(await runPasses(app, 7200)).toEqual(nothingChanged)
    expect((await stateOf(app, completed)).state_type).toBe('COMPLETED')
    expect((await stateOf(app, paused)).state_type).toBe('PAUSED')
    expect((await stateOf(app, retried)).state_name).toBe('AwaitingRetry')
    expect(await app.context.reads.all(statement(`select 1 from flow_run_heartbeat where flow_run_id = $1`), [completed])).toEqual([])
  })

  test('ignores runs that never sent a heartbeat', async () => {
    const app = await setup()
    const [id] = (await createRunningRuns(app, 1)) as [string]
    expect(await runPasses(app, 7200)).toEqual(nothingChanged)
    expect((await stateOf(app, id)).state_type).toBe('RUNNING')
  })

  test('waits for a run that sent one heartbeat, whose next may follow in an hour', async () => {
    const app = await setup({ env: { MILLRACE_SERVICES_ZOMBIE_DETECTION_FIRST_HEARTBEAT_SECONDS: '1200' } })
    const [id] = await createRunningRuns(app, 1)
    await sendHeartbeats(app, [id as string])
    expect(await runPasses(app, 1190)).toEqual(nothingChanged)
    expect(await runPasses(app, 20)).toEqual({ ...nothingChanged, crashed: 1 })
  })

  test('uses the common interval for a run that sent one heartbeat and lost its connection', async () => {
    const app = await setup()
    const [killed, waiting] = (await createRunningRuns(app, 2)) as [string, string]
    const [client, other] = [await connect(app, '/events/in'), await connect(app, '/events/in')]
    client.send(heartbeat(app, killed))
    other.send(heartbeat(app, waiting))
    await Promise.all([client.ping(), other.ping()])
    client.terminate()
    const lost = statement('select flow_run_id as id from flow_run_heartbeat where disconnected is not null')
    await vi.waitFor(async () => expect(await app.context.reads.all(lost)).toEqual([{ id: killed }]))
    expect(await runPasses(app, 540)).toEqual(nothingChanged)
    expect(await runPasses(app, 20)).toEqual({ ...nothingChanged, crashed: 1 })
    expect((await stateOf(app, killed)).state.message).toMatch(
      /^No heartbeat for 5[56]\d s, and its connection was lost: the process of this run is gone\.$/,
    )
    expect(await runPasses(app, 2900)).toEqual(nothingChanged)
    expect((await stateOf(app, waiting)).state_type).toBe('RUNNING')
  })

  test('forgets a lost connection with the next heartbeat', async () => {
    const app = await setup()
    const ids = await createRunningRuns(app, 1)
    const client = await connect(app, '/events/in')
    client.send(heartbeat(app, ids[0] as string))
    await client.ping()
    client.terminate()
    const lost = statement('select disconnected from flow_run_heartbeat where disconnected is not null')
    await vi.waitFor(async () => expect(await app.context.reads.all(lost)).toHaveLength(1))
    await sendHeartbeats(app, ids)
    expect(await app.context.reads.all(lost)).toEqual([])
  })

  test('learns how often a run sends heartbeats', async () => {
    const app = await setup()
    const ids = await createRunningRuns(app, 1)
    for (let n = 0; n < 3; n += 1) {
      await sendHeartbeats(app, ids)
      expect(await runPasses(app, 600)).toEqual(nothingChanged)
    }
    expect(await runPasses(app, 1190)).toEqual(nothingChanged)
    expect(await runPasses(app, 30)).toEqual({ ...nothingChanged, crashed: 1 })
  })

  test('restarts the timeout of every run after a start and after missed passes', async () => {
    const app = await setup()
    const ids = await createRunningRuns(app, 5)
    await learnHeartbeatInterval(app, ids)
    app.clock.advance(3600)
    const restarted = { ...app.context, server: { ...app.context.server } }
    expect(await runPass(restarted)).toEqual(nothingChanged)
    expect(await runPasses(app, 80, [], restarted)).toEqual(nothingChanged)
    await sendHeartbeats(app, ids)
    expect(await runPasses(app, 60, ids, restarted)).toEqual(nothingChanged)

    // The database was away, or the clock went forward.
    app.clock.advance(900)
    expect(await runPasses(app, 90, [], restarted)).toEqual(nothingChanged)
    await sendHeartbeats(app, ids)
    expect(await runPasses(app, 300, ids, restarted)).toEqual(nothingChanged)
    expect(await runPasses(app, 160, [], restarted)).toEqual({ ...nothingChanged, crashed: 5 })
  })

  test('keeps a run whose heartbeats were stored by a server with a slow clock', async () => {
    const app = await setup()
    const ids = await createRunningRuns(app, 3)
    await learnHeartbeatInterval(app, ids)
    const anHourAgo = statement('update flow_run_heartbeat set received = received - 3600000000')
    for (let n = 0; n < 10; n += 1) {
      await sendHeartbeats(app, ids)
      await app.context.commands.submit((tx) => tx.run(anHourAgo))
      expect(await runPasses(app, 30)).toEqual(nothingChanged)
    }
  })

  test('counts logs as a heartbeat', async () => {
    const app = await setup()
    const ids = await createRunningRuns(app, 1)
    await learnHeartbeatInterval(app, ids)
    for (let n = 0; n < 4; n += 1) {
      expect(await runPasses(app, 50)).toEqual(nothingChanged)
      const log = { name: 'l', level: 20, message: 'busy', timestamp: formatTime(app.clock.now()), flow_run_id: ids[0] }
      expect((await app.call('POST', '/logs/', [log])).status).toBe(201)
    }
    expect(await runPasses(app, 110)).toEqual({ ...nothingChanged, crashed: 1 })
  })

  test('reschedules a run with retries left, frees its slot, and crashes it after the last attempt', async () => {
    const app = await setup()
    const { deployments, poll } = await seedWorkPool(app)
    const deployment = deployments.default as string
    await app.call('PATCH', `/deployments/${deployment}`, { concurrency_limit: 1 })
    const { id } = (await app.call('POST', `/deployments/${deployment}/create_flow_run`, { name: 'zombie', empirical_policy: { retries: 1 } })).body
    const slots = async () => (await app.call('GET', `/deployments/${deployment}`)).body.global_concurrency_limit.active_slots
    const attempt = async () => {
      for (const type of ['PENDING', 'RUNNING']) {
        const { body } = await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type } })
        expect(body.status).toBe('ACCEPT')
      }
      await app.call('PATCH', `/flow_runs/${id}`, { infrastructure_pid: 'host:1' })
      expect(await slots()).toBe(1)
      await learnHeartbeatInterval(app, [id])
    }
    await attempt()
    expect(await runPasses(app, 110)).toEqual({ ...nothingChanged, rescheduled: 1 })
    expect(await stateOf(app, id)).toMatchObject({
      state_type: 'SCHEDULED',
      state_name: 'AwaitingRetry',
      run_count: 1,
      infrastructure_pid: null,
      empirical_policy: { retry_type: 'reschedule' },
    })
    expect(await slots()).toBe(0)
    expect(await poll()).toEqual(['zombie'])
    await attempt()
    expect(await runPasses(app, 110)).toEqual({ ...nothingChanged, crashed: 1 })
    expect(await stateOf(app, id)).toMatchObject({ state_type: 'CRASHED', run_count: 2 })
    expect(await slots()).toBe(0)
  })

  test('crashes only pending runs of an offline worker', async () => {
    const app = await setup()
    const { scheduleRun: run } = await seedWorkPool(app)
    const worker = (name: string) => app.call('POST', '/work_pools/mill/workers/heartbeat', { name, heartbeat_interval_seconds: 30 })
    const claim = async (name: string, by?: string) => {
      const id = await run('default', name, 0)
      const headers: Record<string, string> = by === undefined ? {} : { 'x-prefect-worker-name': by }
      expect((await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type: 'PENDING' } }, headers)).body.status).toBe('ACCEPT')
      return id
    }
    await worker('ann')
    await worker('bob')
    const orphan = await claim('orphan', 'ann')
    const unknown = await claim('of a worker whose first heartbeat was lost', 'eve')
    const made = await claim('with infrastructure', 'ann')
    await app.call('PATCH', `/flow_runs/${made}`, { infrastructure_pid: 'job-1' })
    const started = await claim('started', 'ann')
    await app.call('POST', `/flow_runs/${started}/set_state`, { state: { type: 'RUNNING' } })
    const others = [await claim('of bob', 'bob'), await claim('of anybody')]
    const sum = { ...nothingChanged }
    for (let n = 0; n < 12; n += 1) {
      sum.crashed += (await runPasses(app, 10)).crashed
      if (n < 9) expect(sum.crashed).toBe(0)
      await worker('bob')
    }
    expect(sum.crashed).toBe(2)
    const workers = { ann: orphan, eve: unknown }
    for (const [name, id] of Object.entries(workers))
      expect(await stateOf(app, id)).toMatchObject({
        state_type: 'CRASHED',
        state: { message: `The worker "${name}" of the pool "mill" went away before the run had started.` },
      })
    expect((await stateOf(app, started)).state_type).toBe('RUNNING')
    for (const id of [made, ...others]) expect((await stateOf(app, id)).state_type).toBe('PENDING')

    // Now bob goes too, and with him the last worker that could have the run of a client that does not tell.
    expect((await runPasses(app, 110)).crashed).toBe(2)
    expect((await stateOf(app, others[1] as string)).state.message).toBe('Every worker of the pool "mill" went away before the run had started.')
    expect((await stateOf(app, made)).state_type).toBe('PENDING')
    expect((await runPasses(app, 3600)).crashed).toBe(1)
    expect((await stateOf(app, started)).state_type).toBe('RUNNING')
  })

  test('releases the slot of a client that renews no lease after a day of silence', async () => {
    const app = await setup({ env: { MILLRACE_SERVICES_ZOMBIE_DETECTION_SILENT_SLOT_SECONDS: '3600' } })
    const { deployments } = await seedWorkPool(app)
    const deployment = deployments.default as string
    await app.call('PATCH', `/deployments/${deployment}`, { concurrency_limit: 1 })
    const { id } = (await app.call('POST', `/deployments/${deployment}/create_flow_run`, {})).body
    for (const type of ['PENDING', 'RUNNING']) await app.call('POST', `/flow_runs/${id}/set_state`, { state: { type } })
    const slots = async () => (await app.call('GET', `/deployments/${deployment}`)).body.global_concurrency_limit.active_slots
    app.clock.advance(3000)
    const log = { name: 'l', level: 20, message: 'busy', timestamp: formatTime(app.clock.now()), flow_run_id: id }
    await app.call('POST', '/logs/', [log])
    app.clock.advance(3500)
    expect(await runPass(app.context)).toEqual(nothingChanged)
    expect(await slots()).toBe(1)
    app.clock.advance(200)
    expect(await runPass(app.context)).toEqual({ ...nothingChanged, freed_slots: 1 })
    expect(await slots()).toBe(0)
    expect((await stateOf(app, id)).state_type).toBe('RUNNING')
    expect(await runPass(app.context)).toEqual(nothingChanged)
  })

  test('records and crashes nothing when disabled', async () => {
    const app = await setup({ env: { MILLRACE_SERVICES_ZOMBIE_DETECTION_ENABLED: 'false' } })
    expect(zombieRuns.enabled(app.context.config)).toBe(false)
    await sendHeartbeats(app, await createRunningRuns(app, 1))
    expect(await app.context.reads.all(statement('select 1 from flow_run_heartbeat'))).toEqual([])
  })
})
