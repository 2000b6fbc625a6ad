import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyDrift, findDrift } from './generate.ts'
import type { FileGenerator } from './generators.ts'
import { createTemporaryTree } from './temporary-tree.ts'

const reasons = async (root: string, ...list: FileGenerator[]) => (await findDrift(root, list)).map(({ reason }) => reason)

test('reports and fixes missing, changed and leftover files', async () => {
  const root = createTemporaryTree({ 'docs/a.md': 'one\ntwo\n', 'sql/old/gone.sql': 'x', 'sql/kept.sql': 'kept', 'docs/by-hand.md': 'x' })
  const list: FileGenerator[] = [
    { name: 'pages', make: () => ({ 'docs/a.md': 'one\n2\n', 'docs/b.md': 'b' }) },
    { name: 'sql', make: async () => ({ 'sql/kept.sql': 'kept' }), ownedFolder: 'sql' },
  ]
  expect(await reasons(root, ...list)).toEqual([
    'docs/a.md: differs from line 2, which should be "2" (pages)',
    'docs/b.md: missing (pages)',
    'sql/old/gone.sql: left over (sql)',
  ])
  applyDrift(root, await findDrift(root, list))
  expect(await reasons(root, ...list)).toEqual([])
  expect(readFileSync(join(root, 'docs/a.md'), 'utf8')).toBe('one\n2\n')
  expect(existsSync(join(root, 'sql/old/gone.sql'))).toBe(false)
  expect(existsSync(join(root, 'docs/by-hand.md'))).toBe(true)
})

test('reports a file with a missing or an extra line at its end', async () => {
  const root = createTemporaryTree({ 'a.md': 'one', 'b.md': 'one\ntwo\nthree' })
  const make = () => ({ 'a.md': 'one\ntwo', 'b.md': 'one\ntwo' })
  expect(await reasons(root, { name: 'x', make })).toEqual([
    'a.md: differs from line 2, which should be "two" (x)',
    'b.md: differs from line 3, which should be "the end" (x)',
  ])
})
