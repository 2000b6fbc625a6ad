/** Executes the code blocks of the documentation: `npm run docs:proof -- --help`. */
import { parseArgs } from 'node:util'
import { readSource, repositoryRoot } from '../repository.ts'
import { nginxProblems } from './check-nginx.ts'
import { pageProblems } from './check-page.ts'
import { cliExamplesPage } from './cli-examples.ts'
import { commandLineParser } from './command-line.ts'
import { joinApiPages, readPages } from './documentation-pages.ts'
import { runNewcomer } from './newcomer.ts'
import type { Page } from './page-blocks.ts'
import { findPython } from './python.ts'
import { type PageResult, runPage } from './run-page.ts'

const help = `npm run docs:proof -- [options] [PAGE…]
  PAGE             a path such as docs/backup.md, or a part of it (default: all pages)
  --python PYTHON  a Python with the package prefect (default: a new environment in .cache)
  --parallel N     pages at a time (default: 2)
  --no-newcomer    leave out README.md and docs/start.md on a fresh clone (npm run docs:newcomer)`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    python: { type: 'string' },
    parallel: { type: 'string', default: '2' },
    'no-newcomer': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(help)
  process.exit(0)
}

/** Its examples are in the help texts. */
const withExamples = (page: Page): Page => (page.path === 'docs/cli.md' ? cliExamplesPage(readSource(repositoryRoot, page.path)) : page)

/** Needs a clone of the repository: the newcomer executes it. */
const newcomerPage = 'README.md'

const pages = readPages().filter(({ path }) => positionals.length === 0 || positionals.some((part) => path.includes(part)))
if (pages.length === 0) throw new Error(`No page matches ${positionals.join(', ')}`)
const python = pages.some(({ needs }) => needs.has('python')) ? await findPython(values.python) : undefined
const rejectCommand = await commandLineParser()

const results: PageResult[] = []
const queue = joinApiPages(pages)
  .map(withExamples)
  .filter(({ path }) => path !== newcomerPage)
await Promise.all(Array.from({ length: Number(values.parallel) }, runQueue))
if (!values['no-newcomer'] && pages.some(({ path }) => path === newcomerPage)) for await (const result of runNewcomer()) report(result)

printTable(results)
process.exitCode = results.some(({ failure }) => failure !== undefined) ? 1 : 0

async function runQueue(): Promise<void> {
  for (let page = queue.shift(); page !== undefined; page = queue.shift()) report(await provePage(page))
}

function report(result: PageResult): void {
  results.push(result)
  const { page, executed, seconds, failure } = result
  if (executed > 0 || failure !== undefined)
    console.log(`${failure === undefined ? 'ok  ' : 'FAIL'} ${page} (${executed} blocks, ${seconds.toFixed(1)} s)`)
  if (failure !== undefined) console.log(failure)
}

async function provePage(page: Page): Promise<PageResult> {
  const problems = [...(await pageProblems([page], rejectCommand)), ...(await nginxProblems(page))]
  if (problems.length > 0) return { page: page.path, executed: 0, notExecuted: [], seconds: 0, failure: problems.join('\n') }
  return runPage(page, { ...(page.needs.has('python') && python !== undefined && { python }), blockSeconds: 180 })
}

function printTable(list: readonly PageResult[]): void {
  const width = Math.max(...list.map(({ page }) => page.length))
  const cells = (page: string, executed: unknown, notExecuted: unknown, seconds: string, outcome: string) =>
    console.log(`${page.padEnd(width)}  ${String(executed).padStart(8)}  ${String(notExecuted).padStart(12)}  ${seconds.padStart(7)}  ${outcome}`)
  console.log()
  cells('page', 'executed', 'not executed', 'seconds', '')
  for (const { page, executed, notExecuted, seconds, failure } of list.toSorted((a, b) => (a.page < b.page ? -1 : 1)))
    cells(page, executed, notExecuted.length, seconds.toFixed(1), failure === undefined ? 'ok' : 'FAIL')
  const sum = (count: (result: PageResult) => number) => list.reduce((total, result) => total + count(result), 0)
  cells(
    `${list.length} pages`,
    sum(({ executed }) => executed),
    sum(({ notExecuted }) => notExecuted.length),
    sum(({ seconds }) => seconds).toFixed(1),
    `${sum(({ failure }) => (failure === undefined ? 0 : 1))} failed`,
  )
  const reasons = list.flatMap(({ page, notExecuted }) => notExecuted.map(({ line, reason }) => `  ${page}:${line}: ${reason}`))
  if (reasons.length > 0) console.log(`\nNot executed:\n${reasons.join('\n')}`)
}
