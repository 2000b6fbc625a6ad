import { copyFileSync, existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { testClock } from '../../../test/setup.ts'
import { migrate } from '../migrate.ts'
import type { Pool } from '../pool.ts'
import { openSqlite, type SqliteOptions } from './connect.ts'

const waitOptions = { timeout: 10_000 }

const freshFile = (): string => join(mkdtempSync(join(inject('scratchFolder'), 'sqlite-')), 'm.db')

/** Opens a file as a running server does. */
async function openRunning(file: string, options: SqliteOptions = {}): Promise<Pool> {
  const pool = openSqlite(`sqlite:${file}`, { firstCheckpointSeconds: 0.02, ...options })
  await migrate(pool, testClock())
  await pool.start?.()
  await vi.waitFor(() => expect(read(copyOf(file), "select name from sqlite_master where name = 'flow_run'")).toHaveLength(1), waitOptions)
  return pool
}

const write = (pool: Pool): Promise<number> =>
  pool.withWriter((connection) => connection.run("insert into encryption_key (number, created, secret) values (1, 0, 'x')", []))

/** A copy of the main file alone. */
function copyOf(file: string): string {
  const copy = freshFile()
  copyFileSync(file, copy)
  return copy
}

function read(file: string, query: string): unknown[] {
  const database = new DatabaseSync(file)
  try {
    return database.prepare(query).all()
  } finally {
    database.close()
  }
}

const warningsOf = async (file: string): Promise<readonly string[]> => {
  const pool = openSqlite(`sqlite:${file}`)
  await pool.close()
  return pool.warnings
}

const missingLog = (file: string): string =>
  `The database ${file} was in operation when it was last written, and its write-ahead log ${file}-wal is missing. If the file was copied from a running server without it, the latest changes are missing too: copy both files again, or use \`millrace backup\`.`

test('writes the tables to the main file soon after creation, even while the writer is busy', async () => {
  const file = freshFile()
  const pool = openSqlite(`sqlite:${file}`, { firstCheckpointSeconds: 0.02 })
  onTestFinished(() => pool.close())
  await migrate(pool, testClock())
  await pool.withWriter(async (connection) => {
    await connection.run('begin', [])
    await pool.start?.()
    await vi.waitFor(() => expect(read(copyOf(file), "select name from sqlite_master where name = 'flow_run'")).toHaveLength(1), waitOptions)
    await connection.run('rollback', [])
  })
  // The mark is set once the writer is free.
  await vi.waitFor(async () => expect(await warningsOf(copyOf(file))).toHaveLength(1), waitOptions)
})

test('checkpoints into the main file regularly, even during a transaction of the writer', async () => {
  const file = freshFile()
  const pool = await openRunning(file, { checkpointSeconds: 0.02 })
  onTestFinished(() => pool.close())
  await write(pool)
  await pool.withWriter(async (connection) => {
    await connection.run('begin', [])
    await connection.run("update encryption_key set secret = 'y'", [])
    await vi.waitFor(() => expect(read(copyOf(file), 'select secret from encryption_key')).toEqual([{ secret: 'x' }]), waitOptions)
    await connection.run('commit', [])
  })
})

test('reads what is committed, before, during and after a transaction', async () => {
  const pool = await openRunning(freshFile())
  onTestFinished(() => pool.close())
  const secrets = () => pool.reads.all<{ secret: string }>('select secret from encryption_key', [])
  await write(pool)
  expect(await secrets()).toEqual([{ secret: 'x' }])
  await pool.withWriter(async (connection) => {
    await connection.begin()
    await connection.run("update encryption_key set secret = 'y'", [])
    expect(await secrets()).toEqual([{ secret: 'x' }])
    await connection.commit(new Set())
    expect(await secrets()).toEqual([{ secret: 'y' }])
    await connection.begin()
    await connection.run('delete from encryption_key', [])
    expect(await secrets()).toEqual([{ secret: 'y' }])
    await connection.rollback()
  })
  expect(await secrets()).toEqual([{ secret: 'y' }])
})

test('warns about a copy of the main file of a running server', async () => {
  const file = freshFile()
  const pool = await openRunning(file)
  onTestFinished(() => pool.close())
  await write(pool)
  const copy = copyOf(file)
  expect(await warningsOf(copy)).toEqual([missingLog(copy)])
  // The first warning run closed the file cleanly.
  expect(await warningsOf(copy)).toEqual([])
})

test('does not warn about complete copies', async () => {
  const file = freshFile()
  const pool = await openRunning(file)
  onTestFinished(() => pool.close())
  await write(pool)
  const vacuumed = freshFile()
  read(file, `vacuum into '${vacuumed}'`)
  expect(await warningsOf(vacuumed)).toEqual([])
  const both = copyOf(file)
  copyFileSync(`${file}-wal`, `${both}-wal`)
  expect(await warningsOf(both)).toEqual([])
  expect(read(both, 'select secret from encryption_key')).toEqual([{ secret: 'x' }])
})

test('does not warn about a file that was closed cleanly', async () => {
  const file = freshFile()
  const pool = await openRunning(file)
  await write(pool)
  await pool.close()
  expect(existsSync(`${file}-wal`)).toBe(false)
  expect(await warningsOf(file)).toEqual([])
})
