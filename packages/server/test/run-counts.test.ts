import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HistoryResponseState } from '@millrace/contracts/history.ts'
import { isTerminal, type StateType, stateTypes } from '@millrace/contracts/state.ts'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { findWrongCounts } from '../src/doctor/checks/counts.ts'
import { formatTime, MICROS_PER_SECOND } from '../src/lib/time.ts'
import { retention } from '../src/services/retention.ts'
import { runCounts } from '../src/services/run-counts.ts'
import { type Db, statement } from '../src/storage/database.ts'
import { migrate } from '../src/storage/migrate.ts'
import type { Pool } from '../src/storage/pool.ts'
import { openPostgres } from '../src/storage/postgres/connect.ts'
import { openSqlite } from '../src/storage/sqlite/connect.ts'
import { ReadDb } from '../src/storage/transaction.ts'
import { migratedPostgres, migratedSqlite } from './databases.ts'
import { fillDatabase } from './fill-database.ts'
import { proofSize } from './proof-size.ts'
import { createReplicaFactory } from './replicas.ts'
import { eachDialect, runService, type TestApp, testClock } from './setup.ts'

const tables = ['flow_run', 'task_run'] as const

/** Compares all counts and slots with the runs. */
const expectExact = async (db: Db): Promise<void> => expect(await findWrongCounts(db, 0)).toEqual({ totals: 0, slots: 0 })

const byState = (table: string) =>
  statement(`select state_type as type, state_name as name, cast(count(*) as bigint) as count from ${table} group by state_type, state_name`)

/** Compares the counts of the API with the rows. */
async function expectCounts(app: TestApp): Promise<void> {
  await expectExact(app.context.reads)
  for (const table of tables) {
    const rows = await app.context.reads.all<{ type: StateType | null; name: string | null; count: number }>(byState(table))
    const sum = (matches: (row: (typeof rows)[number]) => boolean) => rows.filter(matches).reduce((total, { count }) => total + count, 0)
    const count = async (state?: object) => (await app.call('POST', `/${table}s/count`, state && { [`${table}s`]: { state } })).body
    expect(await count()).toBe(sum(() => true))
    for (const type of ['COMPLETED', 'RUNNING', 'CRASHED'])
      expect([type, await count({ type: { any_: [type] } })]).toEqual([type, sum((row) => row.type === type)])
    expect(await count({ name: { any_: ['Special'] } })).toBe(sum(({ name }) => name === 'Special'))
    const { body: page } = await app.call('POST', `/${table}s/paginate`, {
      limit: 1,
      page: 1,
      [`${table}s`]: { state: { type: { any_: ['FAILED', 'PENDING'] } } },
    })
    expect(page.count).toBe(sum(({ type }) => type === 'FAILED' || type === 'PENDING'))
    if (table === 'task_run') {
      const { body: counts } = await app.call('POST', '/ui/task_runs/count', {})
      for (const type of stateTypes) expect([type, counts[type]]).toEqual([type, sum((row) => row.type === type)])
    }
  }
}

interface RunRow {
  readonly state_type: StateType | null
  readonly state_name: string
  readonly state_timestamp: number
  readonly expected_start_time: number | null
  readonly start_time: number | null
  readonly total_run_time: number
}

/** The history of the API, and the same by a loop over all rows. */
async function expectHistory(app: TestApp, table: (typeof tables)[number], { start, seconds, count }: Range): Promise<void> {
  const interval = seconds * MICROS_PER_SECOND
  const history = { history_start: formatTime(start), history_end: formatTime(start + count * interval), history_interval_seconds: seconds }
  const { body } = await app.call('POST', `/${table}s/history`, history)
  const now = app.clock.now()
  const buckets = Array.from({ length: count }, () => new Map<string, { runs: number; run_time: number; lateness: number }>())
  for (const row of await app.context.reads.all<RunRow>(statement(`select * from ${table}`))) {
    const { state_type: type, expected_start_time: expected, start_time: started } = row
    const bucket = expected === null ? undefined : buckets[Math.floor((expected - start) / interval)]
    if (type === null || expected === null || !bucket) continue
    const sums = bucket.get(`${type} ${row.state_name}`) ?? { runs: 0, run_time: 0, lateness: 0 }
    sums.runs += 1
    sums.run_time += row.total_run_time + (type === 'RUNNING' ? Math.max(0, now - row.state_timestamp) : 0)
    sums.lateness += started !== null ? Math.max(0, started - expected) : isTerminal(type) ? 0 : Math.max(0, now - expected)
    bucket.set(`${type} ${row.state_name}`, sums)
  }
  const counted = buckets.map((bucket) => [...bucket].sort(([a], [b]) => (a < b ? -1 : 1)))
  const states = body.flatMap((each: { states: HistoryResponseState[] }) => each.states) as HistoryResponseState[]
  expect(
    body.map((each: { states: HistoryResponseState[] }) => each.states.map((one) => [`${one.state_type} ${one.state_name}`, one.count_runs])),
  ).toEqual(counted.map((bucket) => bucket.map(([name, { runs }]) => [name, runs])))
  for (const [at, [, sums]] of counted.flat().entries()) {
    expect(states[at]?.sum_estimated_run_time).toBeCloseTo(sums.run_time / MICROS_PER_SECOND, 2)
    expect(states[at]?.sum_estimated_lateness).toBeCloseTo(sums.lateness / MICROS_PER_SECOND, 2)
  }
}

interface Range {
  readonly start: number
  readonly seconds: number
  readonly count: number
}

type Step = (app: TestApp, ids: Ids) => Promise<unknown>
interface Ids {
  readonly flows: string[]
  readonly flowRuns: string[]
  readonly taskRuns: string[]
}

const pick = (values: readonly string[], index: number): string =>
  values[index % Math.max(1, values.length)] ?? '00000000-0000-4000-8000-000000000000'

/** Around the time of the test, and with boundaries anywhere in a slot. */
const range = fc.record({
  before: fc.integer({ min: 1, max: 30_000_000_000 }),
  seconds: fc.oneof(fc.integer({ min: 20, max: 3600 }), fc.constantFrom(20.000001, 33.3, 5400, 86_400, 12 * 86_400)),
  count: fc.integer({ min: 1, max: 30 }),
})
const state = fc.record({ type: fc.constantFrom(...stateTypes), name: fc.constantFrom(null, 'Special') })
const index = fc.nat(50)
/** A few hours around the time of the test, in microseconds. */
const time = fc.integer({ min: -20_000_000_000, max: 5_000_000_000 })
const change = (column: string, table: string) => statement(`update ${table} set ${column} = $1 where id = $2`)
const corrections = tables.flatMap((table) => ['expected_start_time', 'start_time'].map((column) => ({ table, text: change(column, table) })))
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ index, states: fc.array(state, { minLength: 1, maxLength: 4 }) }).map(({ index: at, states }) => async (app: TestApp, ids: Ids) => {
    const made = await Promise.all(states.map((each) => app.call('POST', '/flow_runs/', { flow_id: pick(ids.flows, at), state: each })))
    for (const { body } of made) if (body.id) ids.flowRuns.push(body.id)
  }),
  fc.record({ index, states: fc.array(state, { minLength: 1, maxLength: 4 }) }).map(({ index: at, states }) => async (app: TestApp, ids: Ids) => {
    const task = { flow_run_id: pick(ids.flowRuns, at), task_key: 't' }
    const made = await Promise.all(states.map((each) => app.call('POST', '/task_runs/', { ...task, dynamic_key: app.context.newId(), state: each })))
    for (const { body } of made) if (body.id) ids.taskRuns.push(body.id)
  }),
  // At once, so that transitions share transactions and meet each other.
  fc.array(fc.record({ index, state, ofTask: fc.boolean() }), { minLength: 1, maxLength: 6 }).map(
    (changes) => (app: TestApp, ids: Ids) =>
      Promise.all(
        changes.map(({ index: at, state: proposed, ofTask }) =>
          app.call('POST', ofTask ? `/task_runs/${pick(ids.taskRuns, at)}/set_state` : `/flow_runs/${pick(ids.flowRuns, at)}/set_state`, {
            state: proposed,
            force: true,
          }),
        ),
      ),
  ),
  index.map((at) => (app: TestApp, ids: Ids) => app.call('DELETE', `/flow_runs/${pick(ids.flowRuns, at)}`)),
  index.map((at) => (app: TestApp, ids: Ids) => app.call('DELETE', `/task_runs/${pick(ids.taskRuns, at)}`)),
  index.map((at) => (app: TestApp, ids: Ids) => {
    const some = [0, 1, 2].map((next) => pick(ids.flowRuns, at + next))
    return app.call('POST', '/flow_runs/bulk_delete', { flow_runs: { id: { any_: some } } })
  }),
  index.map((at) => (app: TestApp, ids: Ids) => app.call('DELETE', `/flows/${pick(ids.flows.slice(1), at)}`)),
  fc.constant(async (app: TestApp) => {
    app.clock.advance(20 * 86_400)
    await runService(app, retention)
  }),
  fc.integer({ min: 1, max: 9000 }).map((seconds) => async (app: TestApp) => app.clock.advance(seconds)),
  // Changes the times of runs, also of finished ones.
  fc.record({ index, time, kind: fc.constantFrom(...corrections) }).map(
    ({ index: at, time: offset, kind }) =>
      (app: TestApp, ids: Ids) =>
        app.context.commands.submit((tx) =>
          tx.run(kind.text, [app.clock.now() + offset, pick(kind.table === 'flow_run' ? ids.flowRuns : ids.taskRuns, at)]),
        ),
  ),
  fc.record({ index, time }).map(({ index: at, time: offset }) => async (app: TestApp, ids: Ids) => {
    const scheduled_time = formatTime(app.clock.now() + offset)
    const made = { flow_id: pick(ids.flows, at), state: { type: 'SCHEDULED', state_details: { scheduled_time } } }
    const { body } = await app.call('POST', '/flow_runs/', made)
    if (body.id) ids.flowRuns.push(body.id)
  }),
  fc.constant((app: TestApp) => runService(app, runCounts)),
)

eachDialect('counts and histories of runs', (setup) => {
  test('stay exact while runs are created, changed, deleted and trimmed', { timeout: 900_000 }, async () => {
    const app = await setup({ env: { MILLRACE_FLOW_RUNS_RETENTION_DAYS: '30' } })
    const ids: Ids = { flows: [], flowRuns: [], taskRuns: [] }
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(steps, range), { minLength: 5, maxLength: 20 }), async (chosen) => {
        for (const name of ['a', 'b', 'c']) ids.flows.push((await app.call('POST', '/flows/', { name })).body.id)
        for (const [step, { before, seconds, count }] of chosen) {
          await step(app, ids)
          await expectExact(app.context.reads)
          for (const table of tables) await expectHistory(app, table, { start: app.clock.now() - before, seconds, count })
        }
        await expectCounts(app)
        await runService(app, runCounts)
        await expectCounts(app)
      }),
      { numRuns: proofSize(12, 150), endOnFailure: true },
    )
  })

  test('of a database of the version before are made by the migration, while others write', { timeout: 60_000 }, async () => {
    const { dialect } = (await setup()).context.reads
    const { url, drop } = await (dialect.name === 'sqlite' ? migratedSqlite() : migratedPostgres())
    const open = (): Pool =>
      dialect.name === 'sqlite' ? openSqlite(url) : openPostgres(url, { poolSize: 2, statementTimeoutSeconds: 60, onError: () => {} })
    const pool = open()
    onTestFinished(async () => {
      await pool.close()
      await drop()
    })
    await fillDatabase(pool, { runs: 3000, taskRuns: 3000, logs: 0, now: testClock().now() })
    const reads = new ReadDb(pool.reads, dialect)
    await expectExact(reads)
    const down = readFileSync(join(import.meta.dirname, '../src/storage', dialect.name, 'migrations/020_run_history_slots.down.sql'), 'utf8')
    await pool.withMaintenance(async (connection) => {
      await connection.script(`${down}; delete from millrace_migration where number = 20`)
    })
    let isMigrating = true
    const writer = dialect.isShared ? open() : undefined
    const writing = (async () => {
      for (let n = 0; writer && isMigrating; n += 1) {
        const type = n % 2 === 0 ? 'RUNNING' : 'FAILED'
        await writer.reads.all(`update flow_run set state_type = $1, state_name = $1 where name like '%-${n % 90}'`, [type])
      }
    })()
    expect(await migrate(pool, testClock())).toEqual(['020_run_history_slots'])
    isMigrating = false
    await writing
    await writer?.close()
    await expectExact(reads)
    expect((await reads.all(statement('select * from run_count'))).length).toBeGreaterThan(5)
    expect((await reads.all(statement('select * from run_history_slot'))).length).toBeGreaterThan(1000)
    if (!dialect.isShared) return
    // As after an interruption before its last step.
    await pool.withMaintenance((connection) => connection.script('delete from millrace_migration where number = 20'))
    expect(await migrate(pool, testClock())).toEqual(['020_run_history_slots'])
    await expectExact(reads)
  })
})

const replicas = createReplicaFactory()

test('counts are exact in every snapshot while two servers write and add changes up', { timeout: 60_000 }, async () => {
  const { apps } = await replicas(2)
  const [first] = apps as [TestApp]
  const flow = (await first.call('POST', '/flows/', { name: 'f' })).body.id
  let isWriting = true
  const writers = Promise.all(
    apps.map(async (app) => {
      for (let round = 0; round < proofSize(12, 200); round += 1) {
        const made = await Promise.all(
          Array.from({ length: 10 }, () => app.call('POST', '/flow_runs/', { flow_id: flow, state: { type: 'RUNNING' } })),
        )
        await Promise.all(
          made.map(({ body }, n) => app.call('POST', `/flow_runs/${body.id}/set_state`, { state: { type: n % 3 ? 'COMPLETED' : 'FAILED' } })),
        )
        await app.call('DELETE', `/flow_runs/${made[0]?.body.id}`)
      }
    }),
  ).finally(() => {
    isWriting = false
  })
  const folders = apps.map(async (app) => {
    while (isWriting) await runService(app, runCounts)
  })
  const readers = apps.map(async (app) => {
    while (isWriting) await expectExact(app.context.reads)
  })
  await Promise.all([writers, ...folders, ...readers])
  await expectCounts(first)
  expect((await first.call('POST', '/flow_runs/count', {})).body).toBe(2 * 9 * proofSize(12, 200))
  await runService(first, runCounts)
  expect(await first.context.reads.all(statement('select * from run_change'))).toEqual([])
  expect(await first.context.reads.all(statement('select state_type from run_total order by 1'))).toEqual([
    { state_type: 'COMPLETED' },
    { state_type: 'FAILED' },
  ])
})

test('a server of the version before reads exact counts of finished runs and adds changes up', async () => {
  const { apps } = await replicas(1)
  const app = apps[0] as TestApp
  const run = (text: string) => app.context.reads.all(statement(text))
  const flow = (await app.call('POST', '/flows/', { name: 'f' })).body.id
  for (const type of ['COMPLETED', 'RUNNING', 'COMPLETED', 'PENDING']) await app.call('POST', '/flow_runs/', { flow_id: flow, state: { type } })
  const counted = `select state_type, cast(sum(count) as bigint) as count from finished_run_count where run_table = 'flow_run' group by 1`
  expect(await run(counted)).toEqual([{ state_type: 'COMPLETED', count: 2 }])
  expect(await run('select millrace_fold_finished_runs(100::bigint) as folded')).toEqual([{ folded: 4 }])
  expect(await run(counted)).toEqual([{ state_type: 'COMPLETED', count: 2 }])
  await expectCounts(app)
})

test('counts follow a truncated table, and a recount corrects rows that were written without triggers', async () => {
  const { apps } = await replicas(1)
  const { reads } = (apps[0] as TestApp).context
  const run = (text: string) => reads.all(statement(text))
  const app = apps[0] as TestApp
  const flow = (await app.call('POST', '/flows/', { name: 'f' })).body.id
  const make = () => app.call('POST', '/flow_runs/', { flow_id: flow, state: { type: 'COMPLETED' } })
  await make()
  await runService(app, runCounts)
  await make()
  await run('alter table flow_run disable trigger user')
  await run(`update flow_run set state_type = 'FAILED', state_name = 'Failed'`)
  await run('alter table flow_run enable trigger user')
  expect(await findWrongCounts(reads, 0)).toEqual({ totals: 2, slots: 2 })
  await run(`update run_history_slot set count = count + 1 where level = 3`)
  const recount = `select millrace_recount_runs('flow_run') as corrected`
  expect([await run(recount), await run(recount)]).toEqual([[{ corrected: 2 }], [{ corrected: 0 }]])
  await expectExact(reads)
  await run('truncate flow_run cascade')
  await expectExact(reads)
  await runService(app, runCounts)
  expect(await run('select * from run_total')).toEqual([])
  expect(await run('select * from run_history_slot')).toEqual([])
})
