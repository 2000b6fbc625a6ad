import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, inject, test } from 'vitest'
import { createSqliteSource } from './adopt/sources.ts'

const command = fileURLToPath(new URL('../../millrace/bin/millrace.mjs', import.meta.url))

function millrace(folder: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], { encoding: 'utf8', env: { HOME: folder } })
  return { status, stdout, stderr }
}

test('adopts a database, unlocks retention and rotates the key by command', () => {
  const folder = mkdtempSync(join(inject('scratchFolder'), 'command-'))
  const database = `sqlite:${join(folder, 'm.db')}`
  const source = createSqliteSource()
  const first = millrace(folder, 'adopt', source, '--database', database)
  expect(first).toMatchObject({ status: 0 })
  expect(first.stdout).toMatch(/^flow runs +20 +20$/m)
  expect(first.stdout).toContain('All counts match')
  expect(first.stderr).toMatch(/^logs: 90$/m)
  expect(millrace(folder, 'adopt', source, '--database', database)).toMatchObject({ status: 1, stdout: '' })
  expect(millrace(folder, 'retention', 'include-adopted', '--database', database).stdout).toContain('Retention now applies to adopted data.')
  expect(millrace(folder, 'secrets', 'rotate', '--database', database)).toMatchObject({
    status: 0,
    stdout: 'Re-encrypted 4 block documents.\n',
  })
}, 60_000)

test('prints one sentence for invalid arguments and failures', () => {
  const folder = mkdtempSync(join(inject('scratchFolder'), 'command-'))
  expect(millrace(folder, 'adopt')).toMatchObject({ status: 2, stderr: expect.stringContaining('Usage: millrace adopt SOURCE') })
  expect(millrace(folder, 'adopt', 'x.db', '--databse', 'y')).toMatchObject({ status: 2 })
  expect(millrace(folder, 'adopt', join(folder, 'x.db'))).toMatchObject({ status: 1, stderr: expect.stringMatching(/^File .* not found/) })
  const key = join(folder, 'key')
  writeFileSync(key, 'cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=\n')
  const wrong = millrace(folder, 'adopt', createSqliteSource(), '--database', `sqlite:${join(folder, 'm.db')}`, '--old-key-file', key)
  expect(wrong).toMatchObject({ status: 1, stderr: expect.stringMatching(/^The key in --old-key-file cannot decrypt/) })
  expect(millrace(folder, 'grind')).toMatchObject({ status: 2 })
  expect(millrace(folder, '--version')).toMatchObject({ status: 0, stdout: '0.1.0\n' })
}, 60_000)
