import { expect, test } from 'vitest'
import { toMicros } from '../src/lib/time.ts'
import { migratedPostgres, migratedSqlite } from './databases.ts'
import { fillDatabase } from './fill-database.ts'
import { openDatabasePool } from './open-pool.ts'
import { startApp } from './setup.ts'

/** More runs, task runs and logs than a search reads. */
const sizes = { runs: 21_000, taskRuns: 21_000, logs: 21_000, now: toMicros('2029-12-31T00:00:00Z'), days: 30 }

test.each(['sqlite', 'postgres'] as const)('searches without an index read a limited number of rows (%s)', { timeout: 120_000 }, async (dialect) => {
  const { url, drop } = await (dialect === 'sqlite' ? migratedSqlite() : migratedPostgres())
  const pool = await openDatabasePool(url)
  await fillDatabase(pool, sizes)
  if (dialect === 'postgres') await pool.withMaintenance((connection) => connection.script('drop index flow_run_name_trigrams'))
  await pool.close()
  const app = await startApp(url)
  const names = async (path: string, body: object): Promise<string[]> =>
    (await app.call('POST', path, body)).body.map(({ name }: { name: string }) => name)
  const count = async (path: string, body: object): Promise<number> => (await app.call('POST', path, body)).body

  // Run 0 is the oldest and run 18,999 the newest that is not scheduled.
  const byName = (name: string, others: object = {}) => ({ flow_runs: { name: { like_: name }, ...others } })
  const newest = { sort: 'START_TIME_DESC', limit: 200 }
  expect(await names('/flow_runs/filter', { ...byName('-18999'), ...newest })).toEqual(['brisk-puffin-18999'])
  expect(await names('/flow_runs/filter', { ...byName('otter-0'), ...newest })).toEqual(['brisk-otter-0'])
  // On SQLite the index finds the runs of a rare name. No three characters in a row are a search in order.
  const withTags = { tags: { any_: ['prod', 'dev'] } }
  expect(await names('/flow_runs/filter', { ...byName('otter-0', withTags), ...newest })).toEqual(dialect === 'sqlite' ? ['brisk-otter-0'] : [])
  expect(await names('/flow_runs/filter', { ...byName('r-%_0', withTags), ...newest })).not.toContain('brisk-otter-0')
  expect(await names('/flow_runs/filter', { ...byName('otter-0'), sort: 'START_TIME_ASC', limit: 200 })).toEqual(['brisk-otter-0'])
  expect(await count('/flow_runs/count', byName('brisk'))).toBe(21_000)
  const page = await names('/flow_runs/filter', { ...byName('otter'), sort: 'START_TIME_DESC', limit: 3, offset: 1 })
  expect(page).toEqual((await names('/flow_runs/filter', { ...byName('otter'), ...newest })).slice(1, 4))

  // Task run 0 is the oldest.
  const task = (name: string) => ({ task_runs: { name: { like_: name } } })
  const latest = { sort: 'EXPECTED_START_TIME_DESC', limit: 50 }
  expect(await names('/task_runs/filter', { ...task('-20999'), ...latest })).toEqual(['step-39-20999'])
  expect(await names('/task_runs/filter', { ...task('step-0-0'), ...latest })).toEqual([])
  expect(await names('/task_runs/filter', { ...task('step-0-0'), sort: 'EXPECTED_START_TIME_ASC', limit: 50 })).toEqual(['step-0-0'])
  expect(await count('/task_runs/count', task('step'))).toBe(20_000)
  const [oldest] = (await app.call('POST', '/task_runs/filter', { sort: 'EXPECTED_START_TIME_ASC', limit: 1 })).body
  expect(await names('/task_runs/filter', { ...task('step-0-0'), flow_runs: { id: { any_: [oldest.flow_run_id] } }, ...latest })).toEqual([
    'step-0-0',
  ])
  const tagged = await count('/task_runs/count', { task_runs: { tags: { all_: ['slow'] } } })
  expect(tagged).toBe(dialect === 'sqlite' ? 2000 : 2100)

  const messages = async (logs: object, sort: string) =>
    (await app.call('POST', '/logs/filter', { logs, sort, limit: 200 })).body.map(({ message }: { message: string }) => message.split(' ')[2])
  expect(await messages({ text: { query: '"record 20999 "' } }, 'TIMESTAMP_DESC')).toEqual(['20999'])
  expect(await messages({ text: { query: '"record 1 "' } }, 'TIMESTAMP_DESC')).toEqual([])
  expect(await messages({ text: { query: '"record 1 "' } }, 'TIMESTAMP_ASC')).toEqual(['1'])
  expect(await messages({ text: { query: '"record 1 "' }, flow_run_id: { any_: [oldest.flow_run_id] } }, 'TIMESTAMP_DESC')).toEqual(['1'])
  await app.close()
  await drop()
})
