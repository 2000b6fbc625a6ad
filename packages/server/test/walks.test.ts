import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../../../scripts/repository.ts'
import { eachDialect } from './setup.ts'
import { describeTraces, listedFiles, withTraces } from './walk-page.ts'
import { traceWalk, walks } from './walks.ts'

const pagePath = join(repositoryRoot, 'ARCHITECTURE.md')
const page = readFileSync(pagePath, 'utf8')

const traces = { postgres: new Map<string, readonly string[]>(), sqlite: new Map<string, readonly string[]>() }

eachDialect('walks of ARCHITECTURE.md', (setup, dialect) => {
  test.each(walks.map((walk) => [walk.title, walk] as const))('%s: enters the listed files', async (title, walk) => {
    const files = await traceWalk(await setup({ env: { MILLRACE_DATABASE_POOL_SIZE: '10' } }), walk)
    traces[dialect].set(title, files)
    expect(listedFiles(page, title).filter((path) => !files.includes(path))).toEqual([])
  })
})

test('ARCHITECTURE.md shows the files that walks enter', () => {
  const expected = withTraces(page, describeTraces(traces.postgres, traces.sqlite))
  if (process.env.WALKS === 'write') writeFileSync(pagePath, expected)
  else expect(page).toBe(expected)
})
