import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fastTemporaryFolder, temporaryFolder, unprivilegedAccount } from './unprivileged-account.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-account-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const passwd = (...lines: string[]) => {
  const path = join(folder, 'passwd')
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

test('other users than root run PostgreSQL under their own account', () => {
  expect(unprivilegedAccount(1000)).toBeUndefined()
  expect(temporaryFolder(undefined)).toBe(tmpdir())
})

test('uses a memory folder only when it exists and has room', () => {
  chmodSync(folder, 0o1777)
  expect(fastTemporaryFolder(folder, 1)).toBe(folder)
  expect(fastTemporaryFolder(folder, Number.MAX_SAFE_INTEGER)).toBe(tmpdir())
  expect(fastTemporaryFolder(join(folder, 'missing'), 1)).toBe(tmpdir())
})

describe('root', () => {
  test('uses the account "nobody"', () => {
    expect(unprivilegedAccount(0, passwd('root:x:0:0::/:', 'daemon:x:1:1::/:', 'nobody:x:65534:65533::/:', 'ann:x:1000:1000::/:'))).toEqual({
      uid: 65534,
      gid: 65533,
    })
  })

  test('uses another account when "nobody" does not exist', () => {
    expect(unprivilegedAccount(0, passwd('root:x:0:0::/:', 'daemon:x:1:1::/:'))).toEqual({ uid: 1, gid: 1 })
  })

  test('throws when there is no other account', () => {
    expect(() => unprivilegedAccount(0, passwd('root:x:0:0::/:', 'toor:x:0:0::/:'))).toThrow(/names no other account/)
  })
})

test('skips temporary folders that the account cannot reach', () => {
  const account = { uid: 65534, gid: 65534 }
  const closed = join(folder, 'closed')
  const below = join(closed, 'below')
  const readOnly = join(folder, 'read-only')
  const open = join(folder, 'open')
  for (const path of [closed, below, readOnly, open]) mkdirSync(path)
  chmodSync(folder, 0o755)
  chmodSync(below, 0o777)
  chmodSync(closed, 0o700)
  chmodSync(readOnly, 0o755)
  chmodSync(open, 0o1777)
  const missing = join(folder, 'missing')
  expect(temporaryFolder(account, [missing, below, readOnly, open])).toBe(open)
  expect(() => temporaryFolder(account, [missing, below])).toThrow(/is open to the account/)
})
