import { type Db, statement } from '../storage/database.ts'
import type { Service } from './service.ts'

const everySeconds = 5

/** With fewer rows every plan is fast. */
const rowsMin = 500

/** Tables that are filled and emptied all the time, and read as a whole. */
const shortTables = ['event', 'run_change']

/** The own tables that have more than twice the rows that the planner knows of. One that was never analyzed counts as one without rows. */
const grownTables = statement(`select grown.relid::regclass::text as name
  from pg_stat_user_tables grown join pg_class known on known.oid = grown.relid
  where known.relnamespace = current_schema()::regnamespace and pg_has_role(known.relowner, 'usage') and grown.relname not in (${shortTables.map((name) => `'${name}'`).join(', ')})
    and grown.n_live_tup >= ${rowsMin} and grown.n_live_tup > 2 * greatest(known.reltuples, 0)`)

/** Failures are left to autovacuum and to the next pass, such as those of a table that was dropped. */
async function analyze(reads: Db, tables: readonly string[]): Promise<void> {
  try {
    // The catalog quotes the names.
    for (const name of tables) await reads.all(statement(`analyze (skip_locked) ${name}`))
  } catch (error) {
    if (reads.dialect.isUnavailable(error) && !reads.dialect.isTransient(error)) throw error
  }
}

/**
 * Tells the planner of PostgreSQL about tables that grew. Autovacuum looks once a minute: until then a page of the runs of a new server sorted all of them,
 * because the planner expected twenty.
 * Settings: services.enabled. Reports: analyzed tables. Does nothing on SQLite, whose statements name their indexes.
 */
export const plannerStatistics: Service = {
  name: 'planner-statistics',
  enabled: (config) => config.services.enabled,
  everySeconds: () => everySeconds,
  async runOnce({ reads }) {
    if (reads.dialect.name !== 'postgres') return { analyzed: 0 }
    const tables = (await reads.all<{ name: string }>(grownTables)).map(({ name }) => name)
    await analyze(reads, tables)
    return { analyzed: tables.length }
  },
}
