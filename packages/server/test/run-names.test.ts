import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { names as namesCheck } from '../src/doctor/checks/names.ts'
import type { DoctorInput } from '../src/doctor/finding.ts'
import { runNames } from '../src/services/run-names.ts'
import { type Db, statement } from '../src/storage/database.ts'
import { likePattern } from '../src/storage/dialect.ts'
import { migrate } from '../src/storage/migrate.ts'
import { blockRunNames, findRunsByName } from '../src/storage/run-names.ts'
import { openSqlite } from '../src/storage/sqlite/connect.ts'
import { sqlite } from '../src/storage/sqlite/dialect.ts'
import { ReadDb } from '../src/storage/transaction.ts'
import { migratedSqlite } from './databases.ts'
import { fillDatabase } from './fill-database.ts'
import { proofSize } from './proof-size.ts'
import { runService, startApp, type TestApp, testClock } from './setup.ts'

const liked = statement(`select id from flow_run where name like $1 escape '\\' order by id`)
const blocks = statement('select id, entries from run_name_block order by id')
const others = statement('select name from run_name order by id')
const unindexed = statement('select id from run_name_block where id not in (select rowid from run_name_index)')
const unlimited = { blocks: 1e6, names: 1e6, candidates: 1e6 }

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id).sort()

/** The search finds what `like` finds, from the runs that the index names. */
async function expectFound(app: TestApp, pattern: string): Promise<void> {
  const { reads } = app.context
  const expected = idsOf(await reads.all<{ id: string }>(liked, [likePattern(pattern)]))
  const { body } = await app.call('POST', '/flow_runs/filter', { flow_runs: { name: { like_: pattern } }, limit: 200 })
  expect([pattern, body.length]).toEqual([pattern, Math.min(200, expected.length)])
  expect(expected).toEqual(expect.arrayContaining(idsOf(body)))
  expect((await app.call('POST', '/flow_runs/count', { flow_runs: { name: { like_: pattern } } })).body).toBe(expected.length)
  const candidates = await findRunsByName(reads, pattern, unlimited)
  if (/[^%]{3}/u.test(pattern)) expect(candidates).toEqual(expect.arrayContaining(expected))
}

async function startSqlite(): Promise<TestApp> {
  const { url, drop } = await migratedSqlite()
  const app = await startApp(url)
  onTestFinished(async () => {
    await app.close()
    await drop()
  })
  return app
}

/** Names with much in common, so that many are in one block and few match, and with all that SQL, JSON and the index treat in a special way. */
const piece = fc.constantFrom(
  'otter',
  'Heron',
  'LYNX',
  '-',
  ' ',
  '14',
  '7',
  '%',
  '_',
  '"',
  "'",
  '\\',
  '\n',
  '*',
  'ä',
  'Ä',
  'ß',
  'İ',
  '日本語',
  '🦦🦦',
  'NOT',
  '^',
)
const text = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))

test('a part of a name finds the runs that have it, whatever happened to them', { timeout: 180_000 }, async () => {
  const app = await startSqlite()
  const flow = (await app.call('POST', '/flows/', { name: 'flow' })).body.id
  const ids: string[] = []
  const createRuns = async (names: readonly string[]) => {
    const made = await Promise.all(names.map((name) => app.call('POST', '/flow_runs/', { flow_id: flow, name })))
    ids.push(...made.map(({ body }) => body.id))
  }
  const create = fc.array(text, { minLength: 20, maxLength: 150, size: 'max' }).map((names) => () => createRuns(names))
  const change = fc.record({ name: text, at: fc.nat(500) }).map(({ name, at }) => async () => {
    if (ids.length > 0) await app.call('PATCH', `/flow_runs/${ids[at % ids.length]}`, { name })
  })
  const remove = fc.array(fc.nat(500), { maxLength: 60, size: 'max' }).map((at) => async () => {
    const removed = at.map((each) => ids[each % Math.max(1, ids.length)]).filter((id) => id !== undefined)
    for (const id of new Set(removed)) await app.call('DELETE', `/flow_runs/${id}`)
    for (const id of removed) ids.splice(ids.indexOf(id), ids.includes(id) ? 1 : 0)
  })
  const pass = fc.constant(async () => void (await runService(app, runNames)))
  const steps = fc.array(fc.oneof({ weight: 3, arbitrary: create }, change, remove, { weight: 2, arbitrary: pass }), { minLength: 1, maxLength: 5 })
  // Blocks from the start, whatever the steps are.
  await createRuns(Array.from({ length: 300 }, (_, n) => `otter-${n}`))
  await runService(app, runNames)
  expect((await app.context.reads.all(blocks)).length).toBe(2)
  await fc.assert(
    fc.asyncProperty(steps, fc.array(text, { minLength: 3, maxLength: 5 }), async (changes, patterns) => {
      for (const step of changes) await step()
      for (const pattern of patterns) await expectFound(app, pattern)
      expect(await app.context.reads.all(unindexed)).toEqual([])
    }),
    { numRuns: proofSize(15, 100), endOnFailure: true },
  )
})

const namesIn = async (db: Db): Promise<string[]> =>
  (await db.all<{ entries: string }>(blocks)).flatMap(({ entries }) => (JSON.parse(entries) as [string, string][]).map(([, name]) => name))

const doctorFindings = async (db: Db): Promise<string[]> => (await namesCheck.run({ db, isFull: true } as DoctorInput)).map(({ what }) => what)

test('names move to blocks, and those of deleted and renamed runs leave them', async () => {
  const app = await startSqlite()
  const { reads } = app.context
  const flow = (await app.call('POST', '/flows/', { name: 'flow' })).body.id
  const made = await Promise.all(Array.from({ length: 300 }, (_, n) => app.call('POST', '/flow_runs/', { flow_id: flow, name: `heron-${n}` })))
  expect(await namesIn(reads)).toEqual([])
  expect(await doctorFindings(reads)).toEqual([])
  await runService(app, runNames)
  expect((await namesIn(reads)).length).toBe(256)
  expect(await reads.all(others)).toHaveLength(44)

  const [first, second, third] = made.map(({ body }) => body)
  await app.call('DELETE', `/flow_runs/${first.id}`)
  await app.call('PATCH', `/flow_runs/${second.id}`, { name: 'lynx' })
  await expectFound(app, first.name)
  await expectFound(app, 'lynx')
  await runService(app, runNames)
  await runService(app, runNames)
  const names = await namesIn(reads)
  const remaining = (await reads.all<{ name: string }>(others)).map(({ name }) => name)
  expect([...names, ...remaining]).not.toContain(first.name)
  expect([...names, ...remaining].filter((name) => name === 'lynx')).toHaveLength(1)
  expect(names.length + remaining.length).toBe(299)
  await expectFound(app, third.name)
  await expectFound(app, 'heron-2')
  expect(await doctorFindings(reads)).toEqual([])
  await app.context.commands.submit((tx) => tx.run(statement('delete from run_name')))
  expect(await doctorFindings(reads)).toEqual([expect.stringMatching(/^0 blocks of names and the names of \d+ flow runs are not in the index/)])
})

test('a search that the index cannot narrow says so', async () => {
  const app = await startSqlite()
  const { reads, commands } = app.context
  const flow = (await app.call('POST', '/flows/', { name: 'flow' })).body.id
  await Promise.all(Array.from({ length: 300 }, (_, n) => app.call('POST', '/flow_runs/', { flow_id: flow, name: `heron-${n}` })))
  expect(await findRunsByName(reads, 'heron', { ...unlimited, names: 200 })).toBeUndefined()
  while (await commands.submit(blockRunNames)) {}
  expect(await findRunsByName(reads, 'heron', { ...unlimited, names: 200 })).toHaveLength(300)
  expect(await findRunsByName(reads, 'heron', { ...unlimited, blocks: 1 })).toBeUndefined()
  expect(await findRunsByName(reads, 'heron', { ...unlimited, candidates: 299 })).toBeUndefined()
  expect(await findRunsByName(reads, 'he')).toBeUndefined()
  expect(await findRunsByName(reads, 'he%ro%n')).toBeUndefined()
  expect(await findRunsByName(reads, 'ro_n')).toEqual([])
  expect(await findRunsByName(reads, 'lynx')).toEqual([])
  expect(await findRunsByName(reads, `${'heron-'.repeat(500)}`)).toEqual([])
  expect(await findRunsByName(reads, 'HER%-299')).toHaveLength(1)
})

test('the migration indexes the names of existing runs', async () => {
  const { url, drop } = await migratedSqlite()
  const pool = openSqlite(url)
  onTestFinished(async () => {
    await pool.close()
    await drop()
  })
  await fillDatabase(pool, { runs: 1000, taskRuns: 0, logs: 0, now: testClock().now() })
  const db = new ReadDb(pool.reads, sqlite)
  const expected = await db.all(blocks)
  expect(expected).toHaveLength(8)
  const down = readFileSync(join(import.meta.dirname, '../src/storage/sqlite/migrations/023_run_name_blocks.down.sql'), 'utf8')
  await pool.withMaintenance((connection) => connection.script(`${down}; delete from millrace_migration where number = 23`))
  expect(await migrate(pool, testClock())).toEqual(['023_run_name_blocks'])
  expect(await db.all(blocks)).toEqual(expected)
  expect(await db.all(unindexed)).toEqual([])
  expect(await findRunsByName(db, 'otter-896')).toHaveLength(1)
})
