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

/** New entries of a GIN index wait in a list until it has 4 MB. Every search reads the whole list. */
const mergeEntries = statement(`select gin_clean_pending_list(own.oid) as pages
  from pg_class own join pg_am method on method.oid = own.relam join pg_index on pg_index.indexrelid = own.oid
  where method.amname = 'gin' and own.relnamespace = current_schema()::regnamespace and pg_has_role(own.relowner, 'usage') and pg_index.indisvalid`)

/** Failures are left to autovacuum and to the next pass, such as those of a table that was dropped. */
async function attempt({ dialect }: Db, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (dialect.isUnavailable(error) && !dialect.isTransient(error)) throw error
  }
}

/**
 * Does on PostgreSQL what autovacuum does once a minute or later. It tells the planner about tables that grew: a page of the runs of a new server sorted all
 * of them, because the planner expected twenty. And it merges new entries into the indexes of names and tags: a search among 3,000 new runs read all of them,
 * because their names were in no index yet.
 * Settings: services.enabled. Reports: analyzed tables, not merged entries, because it would log every pass. Does nothing on SQLite.
 */
export const postgresUpkeep: Service = {
  name: 'postgres-upkeep',
  enabled: (config) => config.services.enabled,
  everySeconds: () => everySeconds,
  async runOnce({ reads }) {
    if (reads.dialect.name !== 'postgres') return { analyzed: 0 }
    const tables = (await reads.all<{ name: string }>(grownTables)).map(({ name }) => name)
    await attempt(reads, async () => {
      // The catalog quotes the names.
      for (const name of tables) await reads.all(statement(`analyze (skip_locked) ${name}`))
    })
    await attempt(reads, async () => {
      await reads.all(mergeEntries)
    })
    return { analyzed: tables.length }
  },
}
