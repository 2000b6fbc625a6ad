import { expect, test } from 'vitest'
import { pageProblems } from './check-page.ts'
import { commandLineParser } from './command-line.ts'
import { readPages } from './documentation-pages.ts'

const rejectCommand = await commandLineParser()

test('every code block of the documentation can be classified and parsed, and names commands that exist', async () => {
  const pages = readPages()
  expect(pages.length).toBeGreaterThan(25)
  const problems: string[] = []
  for (const page of pages) problems.push(...(await pageProblems(page, rejectCommand)))
  expect(problems).toEqual([])
})
