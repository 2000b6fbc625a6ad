import { expect, test } from 'vitest'
import { readSource, repositoryRoot } from '../repository.ts'
import { pageProblems } from './check-page.ts'
import { cliExamplesPage } from './cli-examples.ts'
import { commandLineParser } from './command-line.ts'
import { readPages } from './documentation-pages.ts'

const rejectCommand = await commandLineParser()

test('every code block of the documentation can be classified and parsed, and names commands that exist', async () => {
  const pages = readPages()
  expect(pages.length).toBeGreaterThan(25)
  expect(await pageProblems(pages, rejectCommand)).toEqual([])
})

test('the examples of every command become blocks, and few of them are not executed', async () => {
  const page = cliExamplesPage(readSource(repositoryRoot, 'docs/cli.md'))
  expect(await pageProblems([page], rejectCommand)).toEqual([])
  expect(page.blocks.length).toBeGreaterThan(200)
  expect(page.blocks.filter(({ notExecuted }) => notExecuted !== undefined).length).toBeLessThan(25)
})
