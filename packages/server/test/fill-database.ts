import type { Pool } from '../src/storage/pool.ts'
import { recountStatements } from '../src/storage/run-counts.ts'
import { reblockStatements } from '../src/storage/run-names.ts'

export interface FillOptions {
  readonly runs: number
  readonly taskRuns: number
  readonly logs: number
  /** The time of the newest run, in microseconds. */
  readonly now: number
  /** The time between the oldest and the newest run. */
  readonly days?: number
  /** Rows per statement. */
  readonly batchSize?: number
  onProgress?(table: string, rows: number): void
}

const flows = 50
const deployments = 200
const pools = 5
const animals = ['otter', 'heron', 'badger', 'falcon', 'lynx', 'marten', 'osprey', 'puffin']
const dayMicros = 86_400_000_000

/**
 * Fills a migrated database by SQL: each batch is one statement, so that a million runs take minutes. The rows look like those of a
 * server: 7 % of runs are scheduled for the next day and 1 % are running; of the others 88 % completed, 8 % failed, 2 % crashed and 2 % were cancelled. Task runs
 * spread evenly over the runs; logs spread over the runs, a tenth of them warnings and errors. Run number i has the same columns on every database.
 */
export async function fillDatabase(pool: Pool, options: FillOptions): Promise<void> {
  const { runs, taskRuns, logs, now, days = 90, batchSize = 50_000, onProgress = () => {} } = options
  const sql = expressions(pool.dialect.name)
  const running = Math.floor(runs / 100)
  const scheduled = Math.floor((runs * 7) / 100)
  const past = runs - scheduled
  const step = Math.max(1, Math.floor((days * dayMicros) / Math.max(1, past)))
  const start = now - step * past
  const { uuid, json, jsonb, bool, animal } = sql

  /** Columns of run number `i`. The last runs are running; those after them are scheduled for the next day. */
  const run = (i: string) => {
    const isScheduled = `${i} >= ${past}`
    const isRunning = `(${i} >= ${past - running} and ${i} < ${past})`
    const created = `(case when ${isScheduled} then ${now} else ${start} + ${i} * ${step} end)`
    const expected = `(case when ${isScheduled} then ${now} + (${i} - ${past}) * ${Math.floor(dayMicros / Math.max(1, scheduled))} else ${start} + ${i} * ${step} end)`
    const type = `(case when ${isScheduled} then 'SCHEDULED' when ${isRunning} then 'RUNNING' when ${i} % 100 < 88 then 'COMPLETED' when ${i} % 100 < 96 then 'FAILED' when ${i} % 100 < 98 then 'CRASHED' else 'CANCELLED' end)`
    const name = `(case when ${isScheduled} then 'Scheduled' when ${isRunning} then 'Running' when ${i} % 100 < 88 then 'Completed' when ${i} % 100 < 96 then 'Failed' when ${i} % 100 < 98 then 'Crashed' else 'Cancelled' end)`
    const startTime = `(case when ${isScheduled} then null else ${expected} + 1000000 end)`
    const endTime = `(case when ${isScheduled} or ${isRunning} then null else ${expected} + 1000000 + ${i} % 600 * 1000000 end)`
    return { isScheduled, isRunning, expected, created, type, name, startTime, endTime, id: uuid(1, created, i) }
  }
  const fixed = (kind: number, n: string) => uuid(kind, String(start), n)
  const deploymentOf = (i: string) => `(${i} * 7 + ${i} / 100) % ${deployments}`
  const details = json(`'{"deferred":false,"untrackable_result":false}'`)

  await pool.withMaintenance(async (connection) => {
    for (const text of sql.prepare) await connection.script(text).catch(() => undefined)
    for (let at = start; at <= now; at += 7 * dayMicros) await connection.script(sql.addLogPartition(at))
    const insert = async (table: string, columns: Readonly<Record<string, string>>, count: number, where = '1 = 1') => {
      for (let from = 0; from < count; from += batchSize) {
        const to = Math.min(count, from + batchSize)
        await connection.script(
          `insert into ${table} (${Object.keys(columns).join(', ')}) ${sql.series(from, to - 1, `select ${Object.values(columns).join(', ')}`, where)}`,
        )
        // All runs are counted, and their names indexed, at the end. Without triggers there are no changes.
        if (!sql.skipsTriggers) await connection.script('delete from run_change; delete from run_name')
        onProgress(table, to)
      }
    }
    const entity = (id: string, created = String(start)) => ({ id, created, updated: created })

    await insert('flow', { ...entity(fixed(2, 'i')), name: `'flow-' || i`, tags: jsonb(`'["bench"]'`), labels: json(`'{}'`) }, flows)
    await insert(
      'work_pool',
      {
        ...entity(fixed(3, 'i')),
        name: `'pool-' || i`,
        type: `'process'`,
        base_job_template: json(`'{}'`),
        is_paused: bool(false),
        default_queue_id: fixed(4, 'i'),
        storage_configuration: json(`'{}'`),
      },
      pools,
    )
    const queue = { work_pool_id: fixed(3, 'i'), name: `'default'`, description: `''`, is_paused: bool(false), priority: '1', status: `'NOT_READY'` }
    await insert('work_queue', { ...entity(fixed(4, 'i')), ...queue }, pools)
    await insert(
      'deployment',
      {
        ...entity(fixed(5, 'i')),
        flow_id: fixed(2, `i % ${flows}`),
        name: `'deployment-' || i`,
        paused: bool(false),
        status: `'NOT_READY'`,
        parameters: json(`'{}'`),
        enforce_parameter_schema: bool(false),
        job_variables: json(`'{}'`),
        tags: jsonb(`'["team-' || (i % 20) || '"]'`),
        labels: json(`'{}'`),
        work_queue_id: fixed(4, `i % ${pools}`),
        work_queue_name: `'default'`,
      },
      deployments,
    )

    const of = run('i')
    const tags = `'["team-' || (i % 20) || '", "' || (case when i % 3 = 0 then 'prod' else 'dev' end) || '"]'`
    const state = (kind: number, at: string, owner: typeof of) => ({
      state_id: uuid(kind, at, 'i'),
      state_type: owner.type,
      state_name: owner.name,
      state_timestamp: at,
      state_details: details,
    })
    const finished = `coalesce(${of.endTime}, ${of.startTime}, ${of.created})`
    await insert(
      'flow_run',
      {
        ...entity(of.id, of.created),
        flow_id: fixed(2, `(${deploymentOf('i')}) % ${flows}`),
        name: `'brisk-' || ${animal('i')} || '-' || i`,
        deployment_id: fixed(5, deploymentOf('i')),
        work_queue_id: fixed(4, `(${deploymentOf('i')}) % ${pools}`),
        work_queue_name: `'default'`,
        parameters: json(`'{"number":' || i || ',"customer":"customer-' || (i % 997) || '","dry_run":false}'`),
        context: json(`'{}'`),
        empirical_policy: json(`'{"retries":0,"retry_delay":0}'`),
        tags: jsonb(tags),
        labels: json(`'{"team":"' || (i % 20) || '"}'`),
        auto_scheduled: bool(true),
        job_variables: json(`'{}'`),
        run_count: `case when ${of.isScheduled} then 0 else 1 end`,
        expected_start_time: of.expected,
        next_scheduled_start_time: `case when ${of.isScheduled} then ${of.expected} end`,
        start_time: of.startTime,
        end_time: of.endTime,
        total_run_time: `coalesce(${of.endTime} - ${of.startTime}, 0)`,
        ...state(7, finished, of),
      },
      runs,
    )
    if (sql.skipsTriggers) {
      for (const tag of [`'team-' || (i % 20)`, `case when i % 3 = 0 then 'prod' else 'dev' end`]) {
        const started = `coalesce(${of.startTime}, ${of.expected})`
        await insert('flow_run_tag', { tag, started, expected: of.expected, flow_run_id: of.id }, runs)
      }
    }
    const history = { message: 'null', state_details: details }
    await insert(
      'flow_run_state',
      { id: uuid(8, of.created, 'i'), flow_run_id: of.id, type: `'SCHEDULED'`, name: `'Scheduled'`, timestamp: of.created, ...history },
      runs,
    )
    await insert(
      'flow_run_state',
      { id: uuid(7, finished, 'i'), flow_run_id: of.id, type: of.type, name: of.name, timestamp: finished, ...history },
      runs,
      `not (${of.isScheduled})`,
    )

    // Task runs belong to the runs that have started.
    const started = Math.max(1, past)
    const owner = run(`(i * ${started} / ${Math.max(1, taskRuns)})`)
    const at = `(${owner.expected} + 1000000 + i % 1000 * 1000)`
    const taskType = `(case when i % 50 = 49 then 'FAILED' else 'COMPLETED' end)`
    const task = { ...owner, type: taskType, name: `(case when i % 50 = 49 then 'Failed' else 'Completed' end)` }
    const taskEnd = `(${at} + 1000000 + i % 30 * 100000)`
    const taskId = uuid(9, at, 'i')
    await insert(
      'task_run',
      {
        ...entity(taskId, at),
        flow_run_id: owner.id,
        name: `'step-' || (i % 40) || '-' || i`,
        task_key: `'tasks.step_' || (i % 40)`,
        dynamic_key: `'' || i`,
        flow_run_run_count: '1',
        empirical_policy: json(`'{"retries":0}'`),
        tags: jsonb(`case when i % 10 = 0 then '["slow"]' else '[]' end`),
        labels: json(`'{}'`),
        task_inputs: json(`'{}'`),
        run_count: '1',
        expected_start_time: at,
        start_time: at,
        end_time: taskEnd,
        total_run_time: `${taskEnd} - ${at}`,
        ...state(10, taskEnd, task),
      },
      taskRuns,
    )
    await insert(
      'task_run_state',
      { id: uuid(11, at, 'i'), task_run_id: taskId, type: `'RUNNING'`, name: `'Running'`, timestamp: at, ...history },
      taskRuns,
    )
    await insert(
      'task_run_state',
      { id: uuid(10, taskEnd, 'i'), task_run_id: taskId, type: task.type, name: task.name, timestamp: taskEnd, ...history },
      taskRuns,
    )

    const logged = run(`(i * ${started} / ${Math.max(1, logs)})`)
    const loggedAt = `(${logged.expected} + 1000000 + i % 1000 * 1000)`
    await insert(
      'log',
      {
        id: uuid(12, loggedAt, 'i'),
        created: loggedAt,
        name: `'prefect.flow_runs'`,
        level: `case when i % 100 = 0 then 40 when i % 10 = 0 then 30 else 20 end`,
        message: `'Processed record ' || i || ' of the nightly import for customer-' || (i % 997) || ', nothing unusual to report'`,
        timestamp: loggedAt,
        flow_run_id: logged.id,
      },
      logs,
    )

    const reported = run('i')
    const artifact = { type: `'markdown'`, key: `'report-' || (i % 100)`, data: json(`'"text"'`), flow_run_id: reported.id }
    const artifacts = started
    await insert('artifact', { ...entity(uuid(13, reported.created, 'i'), reported.created), ...artifact }, artifacts)
    const latest = run(`(${Math.max(0, artifacts - 100)} + i)`)
    const latestId = uuid(13, latest.created, `(${Math.max(0, artifacts - 100)} + i)`)
    const collection = {
      key: `'report-' || ((${Math.max(0, artifacts - 100)} + i) % 100)`,
      latest_id: latestId,
      type: `'markdown'`,
      data: json(`'"text"'`),
    }
    await insert('artifact_collection', { ...entity(fixed(14, 'i')), ...collection, flow_run_id: latest.id }, Math.min(100, artifacts))
    const verdict = {
      run_id: run('(i * 50)').id,
      at: run('(i * 50)').created,
      status: `'WAIT'`,
      rule: `'wait'`,
      reason: `'full'`,
      to_type: `'PENDING'`,
    }
    await insert('verdict', { id: uuid(15, run('(i * 50)').created, 'i'), ...verdict }, Math.floor(started / 50))
    for (const text of sql.finish) await connection.script(text)
  })
}

/** The expressions that differ between the databases. */
function expressions(dialect: 'sqlite' | 'postgres') {
  const isPostgres = dialect === 'postgres'
  const hex = (value: string, width: number) => (isPostgres ? `lpad(to_hex((${value})::bigint), ${width}, '0')` : `printf('%0${width}x', ${value})`)
  return {
    skipsTriggers: isPostgres,
    /** A UUID of version 7: its time in milliseconds, the kind of row and a number. */
    uuid(kind: number, micros: string, n: string): string {
      const ms = `(${micros} / 1000)`
      const text = `${hex(`${ms} >> 16`, 8)} || '-' || ${hex(`${ms} & 65535`, 4)} || '-7${kind.toString(16).padStart(3, '0')}-8000-' || ${hex(n, 12)}`
      return isPostgres ? `(${text})::uuid` : `(${text})`
    },
    json: (text: string): string => (isPostgres ? `(${text})::json` : text),
    jsonb: (text: string): string => (isPostgres ? `(${text})::jsonb` : text),
    bool: (value: boolean): string => (isPostgres ? String(value) : value ? '1' : '0'),
    animal: (n: string): string => `(case ${n} % ${animals.length} ${animals.map((name, index) => `when ${index} then '${name}'`).join(' ')} end)`,
    series: (from: number, to: number, select: string, where: string): string =>
      isPostgres
        ? `${select} from generate_series(${from}::bigint, ${to}::bigint) i where ${where}`
        : `with recursive series(i) as (select ${from} union all select i + 1 from series where i < ${to}) ${select} from series where ${where}`,
    /** A server creates the partition of each week in advance. */
    addLogPartition: (at: number): string => (isPostgres ? `select millrace_add_partition('log', ${7 * dayMicros}, ${at})` : 'select 1'),
    /** Without the checks of foreign keys. A database that refuses this is filled more slowly. */
    prepare: isPostgres
      ? ['set session_replication_role = replica', 'set synchronous_commit = off']
      : ['pragma foreign_keys = off', 'pragma synchronous = off', 'pragma cache_size = -1000000'],
    finish: isPostgres
      ? [
          'reset session_replication_role',
          ...recountStatements.postgres,
          'select millrace_fold_runs(1000000000)',
          'vacuum (analyze)',
          'vacuum (truncate true) run_change',
        ]
      : [...recountStatements.sqlite, ...reblockStatements, 'pragma optimize', 'analyze', 'pragma foreign_keys = on'],
  }
}
