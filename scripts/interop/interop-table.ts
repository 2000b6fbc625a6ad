import type { Scenario, ScenarioResult } from './interop-scenarios.ts'

/** Results of all scenarios with one client, database and server mode. */
export interface InteropRun {
  readonly client: string
  readonly database: string
  readonly mode: string
  readonly results: readonly (readonly [Scenario, ScenarioResult])[]
  readonly serverErrors: number
}

const tableStart = '<!-- table -->'
const tableEnd = '<!-- end of table -->'
const errorsTitle = '5xx responses'

/** Rows by title; in each row, cells by column title. */
type Table = Map<string, Map<string, string>>

/** The page with these results in its table. Cells without a new result stay. */
export function updateTable(page: string, runs: readonly InteropRun[]): string {
  const [before, after] = [page.indexOf(tableStart), page.indexOf(tableEnd)]
  if (before < 0 || after < before) throw new Error(`the page has no table between ${tableStart} and ${tableEnd}`)
  const table = readTable(page.slice(before + tableStart.length, after))
  for (const [title, of] of Map.groupBy(runs, columnTitle)) writeColumn(table, title, of)
  return `${page.slice(0, before + tableStart.length)}\n\n${tableText(table)}\n\n${page.slice(after)}`
}

const columnTitle = ({ client, database, mode }: InteropRun) => [client, database, ...(mode === 'plain' ? [] : [mode])].join(' · ')

function readTable(text: string): Table {
  const [titles = [], , ...rows] = text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  return new Map(rows.map(([title = '', ...cells]) => [title, new Map(cells.map((cell, index) => [titles[index + 1] ?? '', cell]))]))
}

/** Repeated runs share a cell. */
function writeColumn(table: Table, title: string, runs: readonly InteropRun[]): void {
  for (const { results: outcomes } of runs) for (const [scenario] of outcomes) renameRow(table, scenario)
  const outcomes = Map.groupBy(
    runs.flatMap(({ results: outcomes }) => outcomes),
    ([scenario]) => rowTitle(scenario),
  )
  const errorsBefore = Number(table.get(errorsTitle)?.get(title) ?? 0)
  const others = [...table].filter(([row, cells]) => row !== errorsTitle && !outcomes.has(row) && (cells.get(title) ?? '–') !== '–')
  for (const [row, found] of outcomes) {
    const good = found.filter(([, { passed }]) => passed).length
    const cell = good < found.length ? `**${good} of ${found.length}**` : good === 1 ? 'ok' : `ok ×${good}`
    setCell(table, row, title, cell)
  }
  // Errors behind cells that stay are still counted.
  const errors = runs.reduce((sum, { serverErrors }) => sum + serverErrors, others.length > 0 ? errorsBefore : 0)
  setCell(table, errorsTitle, title, String(errors))
}

const rowTitle = ({ name, about }: Scenario) => `${name}: ${about}`

/** The description of a scenario may have changed since the table was written. */
function renameRow(table: Table, scenario: Scenario): void {
  const title = rowTitle(scenario)
  const known = [...table.keys()].find((row) => row.startsWith(`${scenario.name}: `))
  if (known === undefined || known === title) return
  table.set(title, table.get(known) ?? new Map())
  table.delete(known)
}

function setCell(table: Table, row: string, title: string, cell: string): void {
  const cells = table.get(row) ?? new Map<string, string>()
  cells.set(title, cell)
  table.set(row, cells)
}

function tableText(table: Table): string {
  const compare = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true })
  const titles = [...new Set([...table.values()].flatMap((cells) => [...cells.keys()]))].sort(compare)
  const rows = [...table.keys()].filter((row) => row !== errorsTitle).sort(compare)
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(['scenario', ...titles]),
    line(['---', ...titles.map(() => '---')]),
    ...[...rows, errorsTitle].map((row) => line([row, ...titles.map((title) => table.get(row)?.get(title) ?? '–')])),
  ].join('\n')
}
