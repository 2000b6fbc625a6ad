import { expect, test, vi } from 'vitest'
import { eachDialect, runService } from '../../test/setup.ts'
import { statement } from '../storage/database.ts'
import { postgresUpkeep } from './postgres-upkeep.ts'

const insertVariables = statement(`insert into variable (id, created, updated, name, value, tags)
  select gen_random_uuid(), 0, 0, gen_random_uuid()::text, '1', '[]' from generate_series(1, $1::integer)`)

/** Otherwise an idle session reports its rows after ten seconds. */
const reportRows = statement('select pg_stat_force_next_flush()')

const knownRows = statement(`select reltuples::bigint as rows from pg_class where relname = 'variable'`)

/** Pages with entries that were not merged into the index yet. Merges them. */
const waitingPages = statement(`select gin_clean_pending_list('variable_by_tag') as pages`)

eachDialect(
  'postgres-upkeep',
  (setup) => {
    test('analyzes a table of a new server, and again when its rows doubled', async () => {
      const app = await setup()
      const { reads, commands } = app.context
      const pass = () => runService(app, postgresUpkeep)
      const insert = (count: number) =>
        commands.submit(async (tx) => {
          await tx.run(insertVariables, [count])
          await tx.first(reportRows)
        })
      const expectAnalyzed = (rows: number) =>
        vi.waitFor(async () => {
          await pass()
          expect((await reads.first<{ rows: number }>(knownRows))?.rows).toBe(rows)
        })
      await insert(100)
      expect(await pass()).toEqual({ analyzed: 0 })
      await insert(900)
      await expectAnalyzed(1000)
      await insert(900)
      expect(await pass()).toEqual({ analyzed: 0 })
      await insert(200)
      await expectAnalyzed(2100)
      expect(await pass()).toEqual({ analyzed: 0 })
    })

    test('merges new entries into the indexes of names and tags', async () => {
      const app = await setup()
      const { reads, commands } = app.context
      const waiting = async () => Number((await reads.first<{ pages: number }>(waitingPages))?.pages)
      const insert = () => commands.submit((tx) => tx.run(insertVariables, [100]))
      await insert()
      expect(await waiting()).toBeGreaterThan(0)
      await insert()
      await runService(app, postgresUpkeep)
      expect(await waiting()).toBe(0)
    })
  },
  ['postgres'],
)
