import { afterEach, expect, test } from 'vitest'
import type { Connection } from '../connection.ts'
import type { Pool } from '../pool.ts'
import { openSqlite } from './connect.ts'

let pool: Pool | undefined
afterEach(() => pool?.close())

async function open() {
  pool = openSqlite('sqlite::memory:')
  await pool.withWriter((writer) => writer.script('create table thing (id integer primary key, name text, body blob)'))
  return { longReads: pool.longReads as Connection, withWriter: pool.withWriter }
}

test('returns the rows of the last commit with values of every type', async () => {
  const { longReads, withWriter } = await open()
  for (const id of [1, 2]) {
    await withWriter((writer) => writer.run('insert into thing values ($1, $2, $3)', [id, id === 1 ? 'größer' : null, new Uint8Array([0, 255])]))
    expect(await longReads.all('select count(*) as count from thing', [])).toEqual([{ count: id }])
  }
  expect(await longReads.all('select id, name, body, id / 4.0 as share from thing where id <= $1 order by id', [2])).toEqual([
    { id: 1, name: 'größer', body: new Uint8Array([0, 255]), share: 0.25 },
    { id: 2, name: null, body: new Uint8Array([0, 255]), share: 0.5 },
  ])
  expect(await longReads.all('select id from thing where id > $1', [2])).toEqual([])
})

test('keeps this thread free while statements run, one after the other', async () => {
  const { longReads } = await open()
  const count = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < $1) select count(*) as count from n'
  await longReads.all(count, [1])
  let turns = 0
  let isDone = false
  const spin = () => {
    turns += 1
    if (!isDone) setImmediate(spin)
  }
  spin()
  const sizes = [1_000_000, 1, 500_000]
  const counts = await Promise.all(sizes.map((size) => longReads.all<{ count: number }>(count, [size])))
  isDone = true
  expect(counts.map((rows) => rows[0]?.count)).toEqual(sizes)
  // On this thread it would have been one turn for each statement.
  expect(turns).toBeGreaterThan(100)
})

test('reports the error of a statement with its code, and runs the next one', async () => {
  const { longReads } = await open()
  await expect(longReads.all('select missing from thing', [])).rejects.toMatchObject({
    code: 'ERR_SQLITE_ERROR',
    errcode: 1,
    message: 'no such column: missing',
  })
  await expect(longReads.all('delete from thing', [])).rejects.toMatchObject({ message: 'attempt to write a readonly database' })
  await expect(longReads.run('delete from thing', [])).rejects.toThrow('A connection for reads cannot write')
  expect(await longReads.all('select 1 as one', [])).toEqual([{ one: 1 }])
})

test('rejects what waits when the database is closed', async () => {
  const { longReads } = await open()
  const waiting = longReads.all('with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000000) select count(*) from n', [])
  const rejected = expect(waiting).rejects.toThrow('The thread that runs long reads ended')
  await pool?.close()
  pool = undefined
  await rejected
})
