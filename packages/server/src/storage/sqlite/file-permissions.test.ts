import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqlite } from './connect.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'millrace-mode-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

/** Opens a database and writes to it, so that all of its files exist. */
async function use(path: string) {
  const pool = openSqlite(`sqlite:${path}`)
  onTestFinished(() => pool.close())
  await pool.withWriter((connection) => connection.script('create table if not exists millrace_migration (a)'))
}

test('creates a database and its companion files readable by the owner only', async () => {
  const made = folder()
  const inner = join(made, 'new', 'folder')
  await use(join(inner, 'x.db'))
  expect(modeOf(inner)).toBe('700')
  const files = readdirSync(inner)
  expect(files).toContain('x.db-wal')
  expect(files.map((name) => [name, modeOf(join(inner, name))])).toEqual(files.map((name) => [name, '600']))
})

test('closes a world-readable database and keeps a group-readable one', async () => {
  const made = folder()
  for (const [name, mode, expected] of [
    ['open.db', 0o644, '600'],
    ['group.db', 0o640, '640'],
  ] as const) {
    const path = join(made, name)
    await use(path)
    chmodSync(path, mode)
    writeFileSync(`${path}.key`, 'x')
    chmodSync(`${path}.key`, mode)
    await use(path)
    expect([name, modeOf(path), modeOf(`${path}.key`)]).toEqual([name, expected, expected])
  }
})
