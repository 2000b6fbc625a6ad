import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../repository.ts'

const page = readFileSync(join(repositoryRoot, 'docs/back-pressure.md'), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| queue or buffer'))
  .map((line) => line.split(' | ').at(-1) ?? '')

/** The formatter breaks long lines. */
const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, '')

test('names where each bound is defined', () => {
  expect(rows.length).toBeGreaterThan(25)
  for (const place of rows) {
    const [, file, text] = /^`([^`]+)` `(.+)` \|$/.exec(place) ?? []
    const path = join(repositoryRoot, 'packages/server/src', file ?? '')
    expect(file !== undefined && existsSync(path), place).toBe(true)
    expect(withoutSpace(readFileSync(path, 'utf8')).includes(withoutSpace(text ?? '')), `${file} contains ${text}`).toBe(true)
  }
})

test('names settings that exist', () => {
  const config = readFileSync(join(repositoryRoot, 'docs/config.md'), 'utf8')
  const names = [...new Set(page.match(/MILLRACE_[A-Z_]+/g))]
  expect(names.filter((name) => !config.includes(name))).toEqual([])
})
