import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../../../scripts/repository.ts'
import { listPages } from '../src/pages.ts'
import { siteMap } from '../src/site-map.ts'

const pages = listPages(repositoryRoot)

test('gives every page of docs/ one place', () => {
  const files = readdirSync(join(repositoryRoot, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
  const placed = pages.map(({ source }) => source).filter((source) => source.startsWith('docs/'))
  expect(placed.sort()).toEqual(files.map((name) => `docs/${name}`).sort())
})

test('names only pages that exist', () => {
  const ordered = siteMap.filter(({ folder = '' }) => existsSync(join(repositoryRoot, folder)))
  const named = ordered.flatMap(({ folder, order = [], pages = [] }) => [...order.map((name) => `${folder}/${name}.md`), ...pages])
  expect(named.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([])
})

test('gives every page a title and a path of its own', () => {
  expect(pages.filter(({ title, source }) => title === source)).toEqual([])
  expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length)
})
