import { expect, test } from 'vitest'
import { isExecuted } from './check-page.ts'
import { joinApiPages, readPages } from './documentation-pages.ts'
import { needsPostgres } from './page-server.ts'
import { runPage } from './run-page.ts'

/** `npm run docs:proof` executes the other pages too: those on PostgreSQL, with the Python client, or of minutes; README.md on a fresh clone. */
const pages = joinApiPages(readPages()).filter(
  (page) => page.path !== 'README.md' && page.blocks.some(isExecuted) && page.needs.size === 0 && !needsPostgres(page),
)

// Two pages at a time, each with a server of its own.
const isFirst = pages.map((_, index) => index % 2 === 0)

test.concurrent.each([true, false])(
  'every command of the documentation does what the page says (half %s)',
  async (half) => {
    for (const page of pages.filter((_, index) => isFirst[index] === half)) {
      const { failure } = await runPage(page)
      if (failure !== undefined) expect.fail(failure)
    }
  },
  120_000,
)
