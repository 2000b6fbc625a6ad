import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pageActions } from './page-actions.ts'

const opening = /^( *)(describe|test)(?:\.\w+\(.*?\))?\(\s*(['"`])(.+?)\3/

/** Test titles of a file, with and without the title of their `describe`. */
function testsOf(file: string): string[] {
  const name = file.replace(/\.test\.ts$/, '')
  let group = ''
  return readFileSync(join(import.meta.dirname, file), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, indent, kind, , title] = opening.exec(line) ?? []
      if (title === undefined) return []
      if (kind === 'describe') group = title
      else return [`${name} › ${title}`, ...(indent === '' ? [] : [`${name} › ${group} › ${title}`])]
      return []
    })
}

const titles = new Set(
  readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap(testsOf),
)
const cells = Object.entries(pageActions).flatMap(([page, actions]) =>
  Object.entries(actions).map(([action, named]) => ({ cell: `${page}: ${action}`, named })),
)

test('names only tests that exist', () => {
  expect(cells.filter(({ named }) => named !== '' && !titles.has(named)).map(({ cell, named }) => `${cell} → ${named}`)).toEqual([])
})

test('has a test for every action of every page', () => {
  expect(cells.filter(({ named }) => named === '').map(({ cell }) => cell)).toEqual([])
})
