import type { Outcome, Scenario } from './interop-scenarios.ts'

/** What came of all scenarios with one client, database and kind of server. */
export interface Pass {
  readonly client: string
  readonly database: string
  readonly mode: string
  readonly outcomes: readonly (readonly [Scenario, Outcome])[]
  readonly serverErrors: number
}

const begin = '<!-- table -->'
const end = '<!-- end of table -->'

/** The page with the table of these passes in the place of the last one. */
export function withTable(page: string, passes: readonly Pass[]): string {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)]
  if (before < 0 || after < before) throw new Error(`the page has no ${begin} … ${end}`)
  return `${page.slice(0, before + begin.length)}\n\n${table(passes)}\n\n${page.slice(after)}`
}

/** A row for each scenario, a column for each kind of pass; repeated passes count in one cell. */
function table(passes: readonly Pass[]): string {
  const columns = [...Map.groupBy(passes, ({ client, database, mode }) => [client, database, ...(mode === 'plain' ? [] : [mode])].join(' · '))]
  const names = new Map(passes.flatMap(({ outcomes }) => outcomes.map(([{ name, about }]) => [name, about])))
  const cell = (name: string, of: readonly Pass[]) => {
    const found = of.flatMap(({ outcomes }) => outcomes.filter(([scenario]) => scenario.name === name).map(([, outcome]) => outcome))
    if (found.length === 0) return '–'
    const good = found.filter(({ passed }) => passed).length
    return good === found.length ? (good === 1 ? 'ok' : `ok ×${good}`) : `**${good} of ${found.length}**`
  }
  const rows = [...names].map(([name, about]) => [`${name}: ${about}`, ...columns.map(([, of]) => cell(name, of))])
  const errors = ['answers of 5xx', ...columns.map(([, of]) => String(of.reduce((sum, { serverErrors }) => sum + serverErrors, 0)))]
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(['scenario', ...columns.map(([title]) => title)]), line(['---', ...columns.map(() => '---')]), ...[...rows, errors].map(line)].join(
    '\n',
  )
}
