import type { Connection } from '../src/storage/connection.ts'
import { openDatabasePool } from './open-pool.ts'
import type { startApp } from './setup.ts'

type App = Awaited<ReturnType<typeof startApp>>

/** A defect of a database that `millrace doctor` finds. */
export interface Defect {
  readonly name: string
  /** The check that finds it. */
  readonly check: string
  readonly severity: 'error' | 'warning'
  /** Part of what it says. */
  readonly what: RegExp
  readonly isRepairable: boolean
  readonly dialects?: readonly ('sqlite' | 'postgres')[]
  /** Whether only `--full` finds it on PostgreSQL. */
  readonly needsFull?: boolean
  /** Whether only `--full` finds it on both databases. */
  readonly isFull?: boolean
  make(sql: (text: string) => Promise<void>): Promise<void>
}

const missing = "'00000000-0000-7000-8000-00000000dead'"
const id = (n: number) => `'00000000-0000-7000-8000-${String(n).padStart(12, '0')}'`
const someRun = '(select id from flow_run order by id limit 1)'
const yes = (dialect: 'sqlite' | 'postgres') => (dialect === 'sqlite' ? '1' : 'true')

/** Defects made by SQL. Each leaves a database that a server can use. */
export const defects: readonly Defect[] = [
  {
    name: 'a slot that a deleted run holds forever',
    check: 'slots',
    severity: 'error',
    what: /^2 slots of concurrency limits are held by runs that ended or do not exist/,
    isRepairable: true,
    make: (sql) =>
      sql(`insert into concurrency_lease (id, lease_id, limit_id, slots, holder_type, holder_id, created, expires)
      values (${id(1)}, ${id(1)}, (select id from concurrency_limit limit 1), 2, 'flow_run', ${missing}, 1, null)`),
  },
  {
    name: 'an expired lease that no service removed',
    check: 'slots',
    severity: 'warning',
    what: /^1 lease expired/,
    isRepairable: true,
    make: (sql) =>
      sql(`insert into concurrency_lease (id, lease_id, limit_id, slots, holder_type, holder_id, created, expires)
      values (${id(1)}, ${id(1)}, (select id from concurrency_limit limit 1), 1, 'flow_run', ${missing}, 1, 2)`),
  },
  {
    name: 'a lease without a limit that never expires',
    check: 'slots',
    severity: 'warning',
    what: /^1 lease without a limit/,
    isRepairable: true,
    make: (sql) =>
      sql(`insert into concurrency_lease (id, lease_id, limit_id, slots, holder_type, holder_id, created, expires)
      values (${id(1)}, ${id(1)}, null, 1, null, null, 1, null)`),
  },
  {
    name: 'a wrong count of runs by state',
    check: 'counts',
    severity: 'error',
    what: /^1 count of runs by state and 0 slots of run histories do not agree with the runs/,
    isRepairable: true,
    make: (sql) => sql(`insert into run_change (run_table, state_type, state_name, count) values ('flow_run', 'PAUSED', 'Paused', 3)`),
  },
  {
    name: 'a wrong slot of run histories',
    check: 'counts',
    severity: 'error',
    what: /^0 counts of runs by state and 1 slot of run histories do not agree with the runs/,
    isRepairable: true,
    make: (sql) =>
      sql(`insert into run_change (run_table, state_type, state_name, count, slot, run_time)
      values ('task_run', 'COMPLETED', 'Completed', 0, 4000000000, 5000000)`),
  },
  {
    name: 'a block of names without index',
    dialects: ['sqlite'],
    check: 'names',
    severity: 'error',
    what: /^1 block of names and the names of 0 flow runs are not in the index of names/,
    isRepairable: true,
    make: (sql) => sql(`insert into run_name_block (entries) select json_array(json_array(id, name)) from flow_run limit 1`),
  },
  {
    name: 'a queued action without its firing',
    check: 'orphans',
    severity: 'error',
    what: /^1 queued action belong/,
    isRepairable: true,
    make: (sql) =>
      sql(`insert into automation_invocation (id, firing_id, automation_id, action_index, action, on_triggered, outbound, attempts, claimed)
      values (${id(1)}, ${missing}, ${missing}, 0, '{}', BOOL, BOOL, 0, null)`),
  },
  {
    name: 'a firing without actions',
    check: 'orphans',
    severity: 'warning',
    what: /^1 firing of automations/,
    isRepairable: true,
    make: (sql) => sql(`insert into automation_firing (id, automation_id, created, body) values (${id(1)}, ${missing}, NOW, '{}')`),
  },
  {
    name: 'an artifact key without its artifact',
    check: 'orphans',
    severity: 'error',
    what: /^1 artifact key/,
    isRepairable: true,
    make: (sql) => sql(`insert into artifact_collection (id, created, updated, key, latest_id) values (${id(1)}, 1, 1, 'k', ${missing})`),
  },
  {
    name: 'a state of a run that does not exist',
    check: 'integrity',
    severity: 'error',
    what: /^1 row of task_run_state have a task_run_id that does not exist/,
    isRepairable: true,
    dialects: ['postgres'],
    needsFull: true,
    make: (sql) =>
      sql(`insert into task_run_state (id, task_run_id, type, name, timestamp, message, data, state_details)
      values (${id(1)}, ${missing}, 'RUNNING', 'Running', 1, null, null, '{}')`),
  },
  {
    name: 'a deployment with missing blocks',
    check: 'orphans',
    severity: 'warning',
    what: /^1 deployment name/,
    isRepairable: true,
    make: (sql) => sql(`update deployment set storage_document_id = ${missing}, infrastructure_document_id = ${missing}`),
  },
  {
    name: 'a work pool without its default queue',
    check: 'queues',
    severity: 'error',
    what: /^1 work pool \("p"\)/,
    isRepairable: true,
    make: (sql) => sql('update work_pool set default_queue_id = null'),
  },
  {
    name: 'a scheduled run that names another queue',
    check: 'queues',
    severity: 'warning',
    what: /^1 scheduled flow run/,
    isRepairable: true,
    make: (sql) => sql("update flow_run set work_queue_name = 'other' where work_queue_id is not null"),
  },
  {
    name: 'a run whose history lacks its state',
    check: 'states',
    severity: 'error',
    what: /^The history of 1 flow run/,
    isRepairable: true,
    make: (sql) => sql(`delete from flow_run_state where id = (select state_id from flow_run where id = ${someRun})`),
  },
  {
    name: 'a state in the middle of a history that is missing',
    check: 'states',
    severity: 'error',
    what: /^The history of 1 flow run lacks a state before another one/,
    isRepairable: false,
    make: (sql) => sql("delete from flow_run_state where type = 'PENDING'"),
  },
  {
    name: 'a task run whose history lacks its state',
    check: 'states',
    severity: 'error',
    what: /^The history of 1 task run lacks the current state/,
    isRepairable: true,
    isFull: true,
    make: (sql) => sql('delete from task_run_state where id = (select state_id from task_run)'),
  },
  {
    name: 'a flow run whose columns differ from its state',
    check: 'states',
    severity: 'error',
    what: /^The state columns of 1 flow run differ/,
    isRepairable: true,
    isFull: true,
    make: (sql) => sql(`update flow_run set state_name = 'Other', state_timestamp = 5 where id = ${someRun}`),
  },
  {
    name: 'a task run whose columns differ from its state',
    check: 'states',
    severity: 'error',
    what: /^The state columns of 1 task run differ/,
    isRepairable: true,
    isFull: true,
    make: (sql) => sql("update task_run set state_type = 'FAILED'"),
  },
  {
    name: 'a wrong run_count of a flow run',
    check: 'states',
    severity: 'warning',
    what: /^The run_count of 2 flow runs does not agree/,
    isRepairable: true,
    isFull: true,
    make: (sql) => sql('update flow_run set run_count = run_count + 1'),
  },
  {
    name: 'a wrong run_count of a task run',
    check: 'states',
    severity: 'warning',
    what: /^The run_count of 1 task run is larger/,
    isRepairable: true,
    isFull: true,
    make: (sql) => sql('update task_run set run_count = 7'),
  },
  {
    name: 'a deleted tag',
    check: 'states',
    severity: 'error',
    what: /^1 tag of flow runs is missing or wrong/,
    isRepairable: true,
    isFull: true,
    make: (sql) => sql("delete from flow_run_tag where tag = 'red'"),
  },
  {
    name: 'a wrong tag',
    check: 'states',
    severity: 'error',
    what: /^2 tags of flow runs are missing or wrong/,
    isRepairable: true,
    isFull: true,
    make: (sql) => sql("update flow_run_tag set tag = 'other' where tag = 'red'"),
  },
  {
    name: 'a scheduled run of an unknown deployment',
    check: 'states',
    severity: 'error',
    what: /^1 scheduled flow run names a deployment that does not exist/,
    isRepairable: true,
    isFull: true,
    make: (sql) => sql(`update flow_run set deployment_id = ${missing} where state_type = 'SCHEDULED'`),
  },
  {
    name: 'a state without its event',
    check: 'states',
    severity: 'error',
    what: /^1 state of flow runs/,
    isRepairable: true,
    make: (sql) => sql(`delete from event where id = (select state_id from flow_run where id = ${someRun})`),
  },
  {
    name: 'a cursor beyond the end of the log',
    check: 'readers',
    severity: 'error',
    what: /^The automations have read to position 99999/,
    isRepairable: true,
    make: (sql) => sql("update event_cursor set seen = 99999 where name = 'automations'"),
  },
  {
    name: 'automations that are behind',
    check: 'readers',
    severity: 'warning',
    what: /^Automations are \d+ events? behind/,
    isRepairable: false,
    make: (sql) => sql("update event_cursor set seen = 0 where name = 'automations'").then(() => sql('update event set received = 1')),
  },
  {
    name: 'actions that nobody executes',
    check: 'readers',
    severity: 'warning',
    what: /^1 firing of automations wait/,
    isRepairable: false,
    make: async (sql) => {
      await sql(`insert into automation_firing (id, automation_id, created, body) values (${id(1)}, ${missing}, 1, '{}')`)
      await sql(`insert into automation_invocation (id, firing_id, automation_id, action_index, action, on_triggered, outbound, attempts, claimed)
        values (${id(2)}, ${id(1)}, ${missing}, 0, '{}', BOOL, BOOL, 0, null)`)
    },
  },
  {
    name: 'a schedule that nobody plans',
    check: 'readers',
    severity: 'warning',
    what: /^1 schedule should/,
    isRepairable: false,
    make: (sql) => sql('update deployment_schedule set due = 1'),
  },
  {
    name: 'a block document whose key is lost',
    check: 'secrets',
    severity: 'error',
    what: /^1 block documents are encrypted with key gone/,
    isRepairable: false,
    make: async (sql) => {
      await sql(`insert into block_type (id, created, updated, name, slug, is_protected) values (${id(1)}, 1, 1, 'T', 't', BOOL)`)
      await sql(`insert into block_schema (id, created, updated, block_type_id, checksum, fields, capabilities, version)
        values (${id(1)}, 1, 1, ${id(1)}, 'c', '{}', '[]', '1')`)
      await sql(`insert into block_document (id, created, updated, name, block_type_id, block_type_name, block_schema_id, is_anonymous, data, key_id)
        values (${id(1)}, 1, 1, 'd', ${id(1)}, 'T', ${id(1)}, BOOL, 'x', 'gone')`)
    },
  },
  {
    name: 'logs that retention did not remove',
    check: 'retention',
    severity: 'warning',
    what: /^The oldest log is \d+ days old, and 90 days are kept/,
    isRepairable: false,
    make: (sql) => sql(`insert into log (id, created, name, level, message, timestamp) values (${id(1)}, 1, 'n', 20, 'm', 1000000)`),
  },
  {
    name: 'a missing index',
    check: 'indexes',
    severity: 'error',
    what: /^The index flow_run_by_start of flow_run is missing/,
    isRepairable: true,
    make: (sql) => sql('drop index flow_run_by_start'),
  },
  {
    name: 'a missing index of a partitioned table',
    check: 'indexes',
    severity: 'error',
    what: /^The index log_of_flow_run of log is missing/,
    isRepairable: true,
    make: (sql) => sql('drop index log_of_flow_run'),
  },
  {
    name: 'an invalid index',
    check: 'indexes',
    severity: 'error',
    what: /^The index flow_run_by_end of flow_run is invalid/,
    isRepairable: true,
    dialects: ['postgres'],
    make: (sql) => sql("update pg_index set indisvalid = false where indexrelid = 'flow_run_by_end'::regclass"),
  },
  {
    name: 'a row whose parent is gone',
    check: 'integrity',
    severity: 'error',
    what: /^1 row of work_queue have a work_pool_id that does not exist in work_pool/,
    isRepairable: true,
    needsFull: true,
    make: (sql) =>
      sql(`insert into work_queue (id, created, updated, work_pool_id, name, description, is_paused, priority, status)
      values (${id(1)}, 1, 1, ${missing}, 'q', '', BOOL, 1, 'READY')`),
  },
  {
    name: 'a reference that should have been cleared',
    check: 'integrity',
    severity: 'error',
    what: /^1 row of deployment have a work_queue_id/,
    isRepairable: true,
    needsFull: true,
    make: (sql) => sql(`update deployment set work_queue_id = ${missing}`),
  },
  {
    name: 'a dropped trigger',
    check: 'indexes',
    severity: 'error',
    what: /^The trigger flow_run_tags_updated of flow_run is missing/,
    isRepairable: true,
    needsFull: true,
    make: (sql) => sql('drop trigger flow_run_tags_updated ON_FLOW_RUN'),
  },
  {
    name: 'a changed trigger',
    check: 'indexes',
    severity: 'error',
    what: /^The trigger flow_run_count_deleted of flow_run is not the one of the migrations/,
    isRepairable: true,
    dialects: ['postgres'],
    needsFull: true,
    make: (sql) =>
      sql(
        'drop trigger flow_run_count_deleted on flow_run; create trigger flow_run_count_deleted after insert on flow_run for each statement execute function runs_truncated()',
      ),
  },
  {
    name: 'a disabled trigger',
    check: 'indexes',
    severity: 'error',
    what: /^The trigger task_run_count_deleted of task_run is disabled/,
    isRepairable: true,
    dialects: ['postgres'],
    needsFull: true,
    make: (sql) => sql('alter table task_run disable trigger task_run_count_deleted'),
  },
  {
    name: 'a missing function',
    check: 'indexes',
    severity: 'error',
    what: /^The function millrace_fold_runs is missing/,
    isRepairable: true,
    dialects: ['postgres'],
    needsFull: true,
    make: (sql) => sql('drop function millrace_fold_runs(bigint) cascade'),
  },
  {
    name: 'a changed function',
    check: 'indexes',
    severity: 'error',
    what: /^The function flow_run_tags_changed is not the one of the migrations/,
    isRepairable: true,
    dialects: ['postgres'],
    needsFull: true,
    make: (sql) => sql('create or replace function flow_run_tags_changed() returns trigger language plpgsql as $$ begin return null; end $$'),
  },
  {
    name: 'a missing foreign key',
    check: 'indexes',
    severity: 'error',
    what: /^The constraint deployment_flow_id_fkey of deployment is missing/,
    isRepairable: true,
    dialects: ['postgres'],
    needsFull: true,
    make: (sql) => sql('alter table deployment drop constraint deployment_flow_id_fkey'),
  },
  {
    name: 'a missing foreign key of a SQLite table',
    check: 'indexes',
    severity: 'error',
    what: /^The constraint automation_id of automation_resource is missing/,
    isRepairable: false,
    dialects: ['sqlite'],
    make: (sql) =>
      sql(
        'drop table automation_resource; create table automation_resource (automation_id text not null, resource_id text not null, owned integer not null)',
      ),
  },
  {
    name: 'a missing column',
    check: 'indexes',
    severity: 'error',
    what: /^The column worker_name of flow_run is missing/,
    isRepairable: false,
    needsFull: true,
    make: (sql) => sql('alter table flow_run drop column worker_name'),
  },
  {
    name: 'a missing table',
    check: 'indexes',
    severity: 'error',
    what: /^The table verdict is missing/,
    isRepairable: false,
    needsFull: true,
    make: (sql) => sql('drop table verdict'),
  },
  {
    name: 'a detached partition',
    check: 'indexes',
    severity: 'error',
    what: /^The partition log_\d+ of log is detached/,
    isRepairable: false,
    dialects: ['postgres'],
    needsFull: true,
    make: (sql) =>
      sql(`do $x$ declare part text; begin
        select inhrelid::regclass::text into part from pg_inherits where inhparent = 'log'::regclass and inhrelid::regclass::text ~ '\\d{8}$' limit 1;
        execute format('alter table log detach partition %I', part); end $x$`),
  },
  {
    name: 'a missing revision of automations',
    check: 'readers',
    severity: 'error',
    what: /^The revision of automations is missing/,
    isRepairable: true,
    make: (sql) => sql('delete from automation_revision'),
  },
]

/** Creates a pool, a deployment with a schedule, runs and a limit, so that defects have something to break. */
export async function seedForDefects(app: App): Promise<void> {
  const flow = (await app.call('POST', '/api/flows/', { name: 'f' })).body
  await app.call('POST', '/api/work_pools/', { name: 'p', type: 'process' })
  const deployment = await app.call('POST', '/api/deployments/', {
    name: 'd',
    flow_id: flow.id,
    work_pool_name: 'p',
    schedules: [{ schedule: { interval: 3600 }, active: false }],
  })
  await app.call('POST', `/api/deployments/${deployment.body.id}/create_flow_run`, {})
  const run = (await app.call('POST', '/api/flow_runs/', { flow_id: flow.id, tags: ['red', 'blue'], state: { type: 'PENDING' } })).body
  await app.call('POST', `/api/flow_runs/${run.id}/set_state`, { state: { type: 'RUNNING' } })
  const task = (await app.call('POST', '/api/task_runs/', { flow_run_id: run.id, task_key: 't', dynamic_key: '0', state: { type: 'PENDING' } })).body
  await app.call('POST', `/api/task_runs/${task.id}/set_state`, { state: { type: 'RUNNING' } })
  await app.call('POST', '/api/v2/concurrency_limits/', { name: 'l', limit: 1 })
}

/** Runs SQL on a database without a server. `BOOL` and `NOW` stand for values of the dialect. Foreign keys and rules for system tables are off. */
export async function runDefect(url: string, { make }: Pick<Defect, 'make'>): Promise<void> {
  const dialect = url.startsWith('sqlite:') ? 'sqlite' : 'postgres'
  const pool = await openDatabasePool(url)
  try {
    await pool.withMaintenance(async (connection: Connection) => {
      await connection.script(
        dialect === 'sqlite' ? 'pragma foreign_keys = off' : 'set session_replication_role = replica; set allow_system_table_mods = on',
      )
      await make((text) =>
        connection.script(
          text
            .replaceAll('BOOL', yes(dialect))
            .replaceAll('NOW', String(Date.now() * 1000))
            .replaceAll(' ON_FLOW_RUN', dialect === 'sqlite' ? '' : ' on flow_run'),
        ),
      )
    })
  } finally {
    await pool.close()
  }
}
