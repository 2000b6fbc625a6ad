import { expect, test } from 'vitest'
import { isExecuted } from './check-page.ts'
import { joinApiPages, readPages } from './documentation-pages.ts'
import { needsPostgres } from './page-server.ts'
import { runPage } from './run-page.ts'

/** `npm run docs:proof` executes the other pages too: those on PostgreSQL, with the Python client, or of minutes; README.md on a fresh clone. */
const pages = joinApiPages(readPages()).filter(
  (page) => page.path !== 'README.md' && page.blocks.some(isExecuted) && page.needs.size === 0 && !needsPostgres(page),
)

const pagesAtATime = 2

test('every command of the documentation does what the page says', async () => {
  const queue = pages.toSorted((a, b) => b.blocks.length - a.blocks.length)
  expect(queue.length).toBeGreaterThan(3)
  const failures: string[] = []
  const runQueue = async () => {
    for (let page = queue.shift(); page !== undefined; page = queue.shift()) {
      const { failure } = await runPage(page)
      if (failure !== undefined) failures.push(failure)
    }
  }
  await Promise.all(Array.from({ length: pagesAtATime }, runQueue))
  if (failures.length > 0) expect.fail(failures.join('\n\n'))
}, 180_000)

test('few blocks of the documentation are not executed, each for a reason', () => {
  const blocks = readPages().flatMap((page) => page.blocks)
  const notExecuted = blocks.filter(({ notExecuted: reason }) => reason !== undefined)
  expect(notExecuted.length).toBeLessThan(blocks.filter(isExecuted).length / 4)
})
