import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { type AdoptListener, adopt } from '../src/adopt/adopt.ts'
import { liftRetentionHold } from '../src/adopt/adoption-store.ts'
import type { Report } from '../src/adopt/report.ts'
import { openSource } from '../src/adopt/source/open-source.ts'
import { toMicros } from '../src/lib/time.ts'
import { triggerEvaluator } from '../src/services/automations.ts'
import { retention } from '../src/services/retention.ts'
import { scheduler } from '../src/services/scheduler.ts'
import { createPostgresSource, createSqliteSource } from './adopt/sources.ts'
import { eachDialect, type TestApp } from './setup.ts'

interface Options {
  readonly resume?: boolean
  readonly oldKey?: string
  readonly watcher?: Partial<AdoptListener>
}

async function adoptSource(app: TestApp, url: string, { resume = false, oldKey, watcher }: Options = {}): Promise<Report> {
  const source = await openSource(url, '/')
  try {
    return await adopt(app.context, source, { resume, oldKey, listener: { onStart: () => {}, onCopied: () => {}, ...watcher } })
  } finally {
    await source.close()
  }
}

const countAdopted = ({ lines }: Report) => Object.fromEntries(lines.map((line) => [line.noun, line.adopted]))
const listAll = async (app: TestApp, noun: string, body: object = {}) => (await app.call('POST', `/${noun}/filter`, body)).body
const neverAborted = new AbortController().signal

const expected = {
  flows: 7,
  deployments: 5,
  schedules: 4,
  'flow runs': 20,
  'flow run states': 51,
  'task runs': 23,
  'task run states': 68,
  'linked subflow runs': 2,
  logs: 90,
  artifacts: 19,
  'block documents': 4,
  events: 80,
  'concurrency limits': 6,
  automations: 3,
}

eachDialect('adopt', (setup) => {
  test('copies everything as the reference server showed it', async () => {
    const app = await setup()
    const file = createSqliteSource()
    const before = createHash('sha256').update(readFileSync(file)).digest('hex')
    const report = await adoptSource(app, file)
    expect(report).toMatchObject({ mismatched: [], notes: [] })
    expect(countAdopted(report)).toMatchObject(expected)
    expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(before)

    const [run] = await listAll(app, 'flow_runs', { flows: { name: { any_: ['parent'] } }, flow_runs: { tags: { all_: ['team-a', 'prod'] } } })
    expect(run).toMatchObject({ state: { type: 'COMPLETED', name: 'Completed' }, run_count: 1, parameters: { n: 3 } })
    const raw = await app.server.inject({ method: 'GET', url: `/flow_runs/${run.id}` })
    expect(raw.body).toContain('{"n": 3, "options": {"ratio": 1.0, "big": 12345678901234567890}}')
    const states = (await app.call('GET', `/flow_run_states/?flow_run_id=${run.id}`)).body
    expect(states.map(({ type }: { type: string }) => type)).toEqual(['PENDING', 'RUNNING', 'COMPLETED'])
    const children = await listAll(app, 'flow_runs', { flow_runs: { parent_flow_run_id: { any_: [run.id] } } })
    expect(children).toHaveLength(1)
    expect((await listAll(app, 'logs', { logs: { flow_run_id: { any_: [run.id] } } })).map(({ message }: { message: string }) => message)).toContain(
      'adding 1 and 10 – ünïcode ✓',
    )
  })

  test('copies blocks with secrets, variables, pools, limits and automations', async () => {
    const app = await setup()
    await adoptSource(app, createSqliteSource())
    const documents = await listAll(app, 'block_documents', { include_secrets: true })
    const data = Object.fromEntries(documents.map((document: { name: string; data: object }) => [document.name, document.data]))
    expect(data['a-secret']).toEqual({ value: 's3cr3t' })
    expect(data['a-store']).toMatchObject({ headers: { k: 'v' }, login: { token: 'tok-123', port: 5432 } })
    const hidden = await listAll(app, 'block_documents', {})
    expect(JSON.stringify(hidden)).not.toContain('tok-123')
    const { default_result_storage_block_id } = (await app.call('GET', '/admin/storage')).body
    expect(documents.find(({ id }: { id: string }) => id === default_result_storage_block_id).name).toBe('results')
    expect((await app.call('GET', '/variables/name/some_json')).body.value).toEqual({ a: [1, null, { b: 'c' }] })
    expect((await app.call('GET', '/work_pools/a-pool')).body).toMatchObject({ type: 'process', concurrency_limit: 5 })
    expect((await app.call('POST', '/work_pools/a-pool/queues/filter', {})).body.map(({ name }: { name: string }) => name).sort()).toEqual([
      'default',
      'fast',
    ])
    const limits = Object.fromEntries(
      (await listAll(app, 'v2/concurrency_limits')).map((limit: { name: string; active_slots: number }) => [limit.name, limit]),
    )
    expect(limits.slots).toMatchObject({ limit: 3, active_slots: 1 })
    expect(limits['tag:limited']).toMatchObject({ limit: 4, active_slots: 0 })
    const sleeping = (await listAll(app, 'deployments', { deployments: { name: { any_: ['sleeps'] } } }))[0]
    expect(sleeping.global_concurrency_limit).toMatchObject({ limit: 3, active_slots: 1 })
    const triggers = (await listAll(app, 'automations')).map(({ name, trigger }: { name: string; trigger: { type: string } }) => [name, trigger.type])
    expect(Object.fromEntries(triggers)).toEqual({ again: 'event', both: 'compound', stuck: 'event' })
    // Block types that only Millrace includes.
    expect((await app.call('GET', '/block_types/slug/webhook')).status).toBe(200)
  })

  test.each([
    ['of newer servers', ''],
    // `scheduled DEPLOYMENT TIME`, without the schedule.
    [
      'of the first servers',
      'update flow_run set idempotency_key = substr(idempotency_key, 1, 46) || substr(idempotency_key, 84) where auto_scheduled',
    ],
  ])('repeats nothing: old events fire no automation, planned runs %s are not planned twice', async (_which, change) => {
    const app = await setup()
    // The time at which the reference server stopped.
    app.clock.set(toMicros('2026-11-15T08:40:00Z'))
    await adoptSource(app, createSqliteSource(change))
    expect(await triggerEvaluator.runOnce(app.context, neverAborted)).toEqual({ fired: 0 })
    const planned = await listAll(app, 'flow_runs', { flow_runs: { state: { type: { any_: ['SCHEDULED'] } } } })
    const times = planned.map((run: { deployment_id: string; expected_start_time: string }) => `${run.deployment_id} ${run.expected_start_time}`)
    expect(times).toHaveLength(9)
    expect(await scheduler.runOnce(app.context, neverAborted)).toMatchObject({ scheduled: 0 })
    app.clock.advance(3600)
    expect((await scheduler.runOnce(app.context, neverAborted)).scheduled).toBeGreaterThan(0)
    const after = await listAll(app, 'flow_runs', { flow_runs: { state: { type: { any_: ['SCHEDULED'] } } } })
    const all = after.map((run: { deployment_id: string; expected_start_time: string }) => `${run.deployment_id} ${run.expected_start_time}`)
    expect(all).toEqual(expect.arrayContaining(times))
    expect(new Set(all).size).toBe(all.length)
  })

  test('copies the same from PostgreSQL', async () => {
    const app = await setup()
    const { url, drop } = await createPostgresSource()
    const report = await adoptSource(app, url.replace(/^postgres:/, 'postgresql+asyncpg:'))
    expect(report.mismatched).toEqual([])
    expect(countAdopted(report)).toMatchObject(expected)
    const [run] = await listAll(app, 'flow_runs', { flows: { name: { any_: ['parent'] } }, flow_runs: { tags: { all_: ['team-a'] } } })
    const other = new DatabaseSync(createSqliteSource(), { readOnly: true })
    const row = other.prepare('select start_time, total_run_time from flow_run where id = ?').get(run.id) as Record<string, string>
    expect(run.start_time).toBe(`${row.start_time?.replace(' ', 'T')}Z`)
    expect(run.total_run_time).toBeCloseTo(Number(row.total_run_time?.slice(-9)), 6)
    expect((await listAll(app, 'block_documents', { include_secrets: true })).map(({ data }: { data: object }) => data)).toContainEqual({
      value: 's3cr3t',
    })
    other.close()
    await drop()
  })

  test('continues an interrupted copy without duplicates', async () => {
    const app = await setup()
    const file = createSqliteSource()
    const stop = () => {
      throw new Error('interrupted')
    }
    await expect(adoptSource(app, file, { watcher: { onCopied: (noun) => noun === 'flow run states' && stop() } })).rejects.toThrow('interrupted')
    await expect(adoptSource(app, file)).rejects.toThrow('--resume')
    await expect(adoptSource(app, createSqliteSource('delete from block_type'), { resume: true })).rejects.toThrow('another installation')
    let already = 0
    const report = await adoptSource(app, file, { resume: true, watcher: { onStart: (_total, before) => (already = before) } })
    expect(already).toBeGreaterThan(71)
    expect(report.mismatched).toEqual([])
    expect(countAdopted(report)).toMatchObject(expected)
    await expect(adoptSource(app, file, { resume: true })).rejects.toThrow('already')
  })

  test('rejects unsupported sources with a reason', async () => {
    const app = await setup()
    await expect(adoptSource(app, '/nowhere/prefect.db')).rejects.toThrow('not found')
    await expect(adoptSource(app, createSqliteSource('drop table alembic_version'))).rejects.toThrow('not a Prefect server database')
    await expect(
      adoptSource(
        app,
        createSqliteSource('alter table deployment drop column concurrency_limit; alter table deployment drop column concurrency_limit_id'),
      ),
    ).rejects.toThrow('older than 3.0')
    await expect(adoptSource(app, createSqliteSource(), { oldKey: 'cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=' })).rejects.toThrow('cannot decrypt')
    await expect(adoptSource(app, createSqliteSource("delete from configuration where key = 'ENCRYPTION_KEY'"))).rejects.toThrow('--old-key-file')
    await app.call('POST', '/flows/', { name: 'mine' })
    await expect(adoptSource(app, createSqliteSource())).rejects.toThrow('not empty')
  })

  test('accepts older sources with missing columns and dangling references', async () => {
    const app = await setup()
    const report = await adoptSource(
      app,
      createSqliteSource(`
        alter table flow_run drop column labels; alter table flow_run drop column created_by; alter table task_run drop column labels;
        delete from concurrency_limit_v2 where name like 'deployment:%';
        update deployment set concurrency_limit_id = null, concurrency_limit = 7 where name = 'by-cron';
        drop table saved_search; alter table flow add column mystery text; create table riddle (id text); insert into riddle values ('x');
        update log set flow_run_id = '00000000-0000-4000-8000-000000000000' where rowid = 1;
        delete from task_run where rowid = 1;
        update task_run set task_key = 'same', dynamic_key = 'same' where flow_run_id is null;
        update artifact set data = '[NaN]' where rowid = 2;
        insert into concurrency_limit (id, created, updated, tag, concurrency_limit, active_slots)
          values ('11111111-1111-4111-8111-111111111111', '2025-01-01 00:00:00.000000', '2025-01-01 00:00:00', 'old', 2, '[]');`),
    )
    expect(report.mismatched).toEqual([])
    const lines = Object.fromEntries(report.lines.map((line) => [line.noun, line]))
    expect(lines['task run states']).toMatchObject({ source: 68, reason: 'task run not found' })
    expect(lines['task run states']!.skipped).toBeGreaterThan(0)
    expect(lines.riddle).toMatchObject({ skipped: 1, reason: 'unknown table' })
    expect(report.notes.join('\n')).toMatch(/mystery/)
    const withoutFlowRun = await listAll(app, 'task_runs', { task_runs: { flow_run_id: { is_null_: true } } })
    expect(withoutFlowRun.map(({ dynamic_key }: { dynamic_key: string }) => dynamic_key)).toEqual(['same', 'same'])
    const [deployment] = await listAll(app, 'deployments', { deployments: { name: { any_: ['by-cron'] } } })
    expect(deployment.global_concurrency_limit).toMatchObject({ limit: 7, name: `deployment:${deployment.id}` })
    expect((await app.call('GET', '/concurrency_limits/tag/old')).body).toMatchObject({
      concurrency_limit: 2,
      created: '2025-01-01T00:00:00Z',
    })
  })

  test('protects adopted data from retention until it is unlocked', async () => {
    const app = await setup({ env: { MILLRACE_FLOW_RUNS_RETENTION_DAYS: '30' } })
    await adoptSource(app, createSqliteSource())
    app.clock.advance(60)
    const until = (await app.call('GET', '/admin/retention')).body.adopted_until
    expect(until).not.toBeNull()
    await app.call('POST', '/logs/', [{ name: 'l', level: 20, message: 'new', timestamp: '2030-01-01T00:02:00Z' }])
    app.clock.advance(200 * 86_400)
    expect(await retention.runOnce(app.context, neverAborted)).toMatchObject({ events: 0, logs: 1, flow_runs: 0 })
    expect(await listAll(app, 'logs', { limit: 200 })).toHaveLength(90)
    expect(await app.context.commands.submit(liftRetentionHold)).toBe(true)
    expect(await app.context.commands.submit(liftRetentionHold)).toBe(false)
    expect((await app.call('GET', '/admin/retention')).body.adopted_until).toBeNull()
    expect(await retention.runOnce(app.context, neverAborted)).toMatchObject({ flow_runs: 9 })
    expect(await listAll(app, 'logs')).toEqual([])
  })
})
