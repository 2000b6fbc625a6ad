import { type Db, statement } from './database.ts'

/** With fewer rows every plan is fast. */
const rowsMin = 500

/** Tables that are filled and emptied all the time, and read as a whole. */
const shortTables = ['event', 'run_change']

/** A table that was never analyzed counts as one without rows. */
const grownTables = statement(`select grown.relid::regclass::text as name
  from pg_stat_user_tables grown join pg_class known on known.oid = grown.relid
  where known.relnamespace = current_schema()::regnamespace and grown.relname not in (${shortTables.map((name) => `'${name}'`).join(', ')})
    and grown.n_live_tup >= ${rowsMin} and grown.n_live_tup > 2 * greatest(known.reltuples, 0)`)

/**
 * Analyzes the tables that have more than twice the rows that the planner knows of. Autovacuum looks once a minute: until then a page of the runs of a new
 * server sorted all of them, because the planner expected twenty. Failures are left to autovacuum and to the next pass. Returns the names of the tables.
 */
export async function analyzeGrownTables(reads: Db): Promise<string[]> {
  if (reads.dialect.name !== 'postgres') return []
  const names = (await reads.all<{ name: string }>(grownTables)).map(({ name }) => name)
  try {
    // The names are from the catalog, which quotes them.
    for (const name of names) await reads.all(statement(`analyze (skip_locked) ${name}`))
  } catch (error) {
    if (reads.dialect.isUnavailable(error) && !reads.dialect.isTransient(error)) throw error
  }
  return names
}
