import { slotLevels, slotMicros, slotOriginMicros } from '../lib/count-slots.ts'
import { type Db, statement, type Tx } from './database.ts'

/** The SQL of the slot of level 1 that contains a time. */
export const slotOf = (time: string): string => `((${time} + ${slotOriginMicros}) / ${slotMicros})`
/** The SQL of the time when a slot of level 1 begins. */
export const slotStart = (slot: string): string => `(${slot} * ${slotMicros} - ${slotOriginMicros})`

const anyChange = statement('select 1 as found from run_change limit 1')

/** Whether changes of the counts wait to be added to the totals and the slots. */
export const hasChangesToFold = async (db: Db): Promise<boolean> => (await db.first(anyChange)) !== undefined

/** Changes per transaction, so that it takes about ten milliseconds. SQLite has a single writer, which waits meanwhile. */
export const foldBatchSize = ({ dialect }: Db): number => (dialect.isShared ? 2000 : 500)

/** Adds up to `limit` changes to the totals and the slots and returns how many. None if another server does it at the same time. */
export const foldRunChanges =
  (limit: number) =>
  async (tx: Tx): Promise<number> =>
    tx.dialect.name === 'sqlite' ? foldOnSqlite(tx, limit) : Number((await tx.first<{ folded: number }>(foldOnPostgres, [limit]))?.folded ?? 0)

const foldOnPostgres = statement('select millrace_fold_runs($1::bigint) as folded')

const chosenChanges = statement(
  'select count(*) as changes, max(id) as last, min(count) as least from (select id, count from run_change order by id limit $1)',
)
const foldTotals = statement(
  `insert into run_total (run_table, state_type, state_name, count)
    select run_table, state_type, state_name, sum(count) from (
      select run_table, state_type, state_name, count from run_change where id <= $1
      union all select run_table, from_type, from_name, -count from run_change where id <= $1 and from_type is not null
    ) where true group by 1, 2, 3
    on conflict (run_table, state_type, state_name) do update set count = count + excluded.count`,
)
/** The changes of slots up to an id, with the id of their state and the slot of each level. */
const changedSlots = (level: number, width: number): string =>
  `select total.id as state_id, ${level} as level, change.slot / ${width} as slot, sum(change.count), sum(change.run_time), sum(change.lateness)
    from run_change change
    join run_total total on total.run_table = change.run_table and total.state_type = change.state_type and total.state_name = change.state_name
    where change.id <= $1 and change.slot is not null group by 1, 3`
const foldSlots = slotLevels.map(({ level, width }) =>
  statement(
    `insert into run_history_slot (state_id, level, slot, count, run_time, lateness) ${changedSlots(level, width)}
    on conflict (state_id, level, slot) do update
      set count = count + excluded.count, run_time = run_time + excluded.run_time, lateness = lateness + excluded.lateness`,
  ),
)
const deleteEmptySlots = slotLevels.map(({ level, width }) =>
  statement(
    `delete from run_history_slot where count = 0
      and (state_id, level, slot) in (select state_id, level, slot from (${changedSlots(level, width)}))`,
  ),
)
const deleteEmptyTotals = statement(
  'delete from run_total where count = 0 and not exists (select 1 from run_history_slot where state_id = run_total.id)',
)
const deleteChanges = statement('delete from run_change where id <= $1')

async function foldOnSqlite(tx: Tx, limit: number): Promise<number> {
  const chosen = await tx.first<{ changes: number; last: number | null; least: number }>(chosenChanges, [limit])
  if (!chosen || chosen.last === null) return 0
  await tx.run(foldTotals, [chosen.last])
  for (const fold of foldSlots) await tx.run(fold, [chosen.last])
  if (chosen.least < 0) for (const deletion of deleteEmptySlots) await tx.run(deletion, [chosen.last])
  await tx.run(deleteEmptyTotals)
  await tx.run(deleteChanges, [chosen.last])
  return chosen.changes
}

/** Statements after changes were added; null where deleted rows do not slow down reads. They must run outside of a transaction. */
interface ChangeMaintenance {
  /** Returns the size of the table of changes as `bytes`. */
  readonly size: string
  /** Makes the space of added changes usable again. `shrink` also returns it to the file system. */
  readonly vacuum: string
  readonly shrink: string
}

const maintenance: Readonly<Record<Db['dialect']['name'], ChangeMaintenance | null>> = {
  sqlite: null,
  postgres: {
    size: `select pg_relation_size('run_change') as bytes`,
    vacuum: 'vacuum (skip_locked, truncate false) run_change',
    shrink: 'vacuum (skip_locked, truncate true) run_change',
  },
}
const size = statement(({ name }) => maintenance[name]?.size as string)
const vacuum = statement(({ name }) => maintenance[name]?.vacuum as string)
const shrink = statement(({ name }) => maintenance[name]?.shrink as string)

/** About 20,000 changes, which a count reads in two milliseconds. The table gets larger after a recount, and while a long transaction keeps deleted rows. */
const bytesMax = 2 * 1024 * 1024

/**
 * Makes the space of added changes usable again. Autovacuum looks once a minute, and counts would read the deleted rows until then. Failures are left to
 * autovacuum and to the next pass, such as those of a user who does not own the table.
 */
export async function vacuumChanges(reads: Db): Promise<void> {
  if (maintenance[reads.dialect.name] === null) return
  try {
    const bytes = Number((await reads.first<{ bytes: number }>(size))?.bytes ?? 0)
    await reads.all(bytes > bytesMax ? shrink : vacuum)
  } catch (error) {
    if (reads.dialect.isUnavailable(error) && !reads.dialect.isTransient(error)) throw error
  }
}

const finished = `state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')`
/** The tables whose runs are counted. */
export const countedTables = ['flow_run', 'task_run'] as const

/** Statements that count all runs again and correct the counts and slots. On PostgreSQL others may write meanwhile. */
export const recountStatements: Readonly<Record<Db['dialect']['name'], readonly string[]>> = {
  sqlite: [
    'delete from run_change',
    'delete from run_history_slot',
    'delete from run_total',
    ...countedTables.flatMap((table) => [
      `insert into run_total (run_table, state_type, state_name, count)
        select '${table}', coalesce(state_type, ''), coalesce(state_name, ''), count(*) from ${table} group by 2, 3`,
      `insert into run_history_slot
        select total.id, 1, ${slotOf('run.expected_start_time')}, count(*), sum(cast(run.total_run_time as real)),
          sum(cast(max(coalesce(run.start_time - run.expected_start_time, 0), 0) as real))
        from ${table} run join run_total total
          on total.run_table = '${table}' and total.state_type = run.state_type and total.state_name = coalesce(run.state_name, '')
        where run.${finished} and run.expected_start_time is not null group by 1, 3`,
    ]),
    ...slotLevels.slice(1).map(
      ({ level, width }) => `insert into run_history_slot
        select state_id, ${level}, slot / ${width}, sum(count), sum(run_time), sum(lateness) from run_history_slot where level = 1 group by 1, 3`,
    ),
  ],
  postgres: countedTables.map((table) => `select millrace_recount_runs('${table}')`),
}
const recounts = {
  sqlite: recountStatements.sqlite.map((text) => statement(text)),
  postgres: recountStatements.postgres.map((text) => statement(text)),
}

export async function recountRuns(tx: Tx): Promise<void> {
  for (const each of recounts[tx.dialect.name]) await tx.run(each)
}
