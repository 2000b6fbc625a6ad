import { isTest, listSourceFiles, readSource } from '../repository.ts'
import { lineOf, splitSource } from './split-source.ts'

const S = 'packages/server/src'

/** The room that writes runs and their states; all others send it commands (ADR 0049). */
const writer = `${S}/runs/`

/** Who else may, and why. A path is a file, or a folder if it ends with a slash. Migrations are SQL files, and tests fill databases with rows (test/fill-database.ts). */
const exceptions: Readonly<Record<string, string>> = {
  [`${S}/adopt/steps/`]: 'copies the runs of another server as they are, with their history',
  [`${S}/doctor/checks/`]: 'repairs rows that no server writes, which no command could load',
  [`${S}/storage/postgres/row-statements.ts`]: 'builds the statements for the rows that it is given',
  [`${S}/storage/sqlite/row-statements.ts`]: 'builds the statements for the rows that it is given',
  [`${S}/storage/migrate.ts`]: 'its table is that of the migrations',
  [`${S}/domains/logs/trim-logs.ts`]: 'its table is a partition of the logs',
  'packages/simulator/src/storage/': 'is the database of the simulation',
}

const table = '(?:flow_run|task_run)(?:_state)?\\b'
const sqlWrite = '\\b(?:update(?:\\s+or\\s+\\w+)?|insert\\s+(?:or\\s+\\w+\\s+)?into|delete\\s+from|merge\\s+into|truncate)\\s+'

const writes: readonly RegExp[] = [
  // SQL of a table of runs, or of a table that a placeholder names.
  new RegExp(`${sqlWrite}"?${table}`, 'gi'),
  new RegExp(`${sqlWrite}\\$\\{\\s*[\\w.]+`, 'g'),
  // `tx.insert('flow_run', …)`, `{ update: 'flow_run', … }` and the builders of Kysely.
  new RegExp(`\\b(?:insert|update)(?:<[^>]*>)?\\(\\s*['"\`]${table}`, 'g'),
  new RegExp(`\\b(?:insert|update):\\s*['"\`]${table}`, 'g'),
  new RegExp(`\\b(?:insertInto|replaceInto|mergeInto|updateTable|deleteFrom)\\(\\s*['"\`]${table}`, 'g'),
]

/** A line for each write of runs outside of `runs/`, and for each exception that is none. */
export function runWriterViolations(root: string, allowed = exceptions): string[] {
  const used = new Set<string>()
  const found: string[] = []
  for (const path of listSourceFiles(root)) {
    if (!path.startsWith('packages/') || path.startsWith(writer) || isTest(path)) continue
    const { codeAndStrings } = splitSource(readSource(root, path))
    const places = writes.flatMap((pattern) => [...codeAndStrings.matchAll(pattern)])
    const exception = Object.keys(allowed).find((each) => (each.endsWith('/') ? path.startsWith(each) : path === each))
    if (exception === undefined) {
      for (const { 0: text, index } of places)
        found.push(`${path}:${lineOf(codeAndStrings, index)}: ${text.replaceAll(/\s+/g, ' ')}: runs are written by ${writer} only`)
    } else if (places.length > 0) used.add(exception)
  }
  const unused = Object.keys(allowed).filter((each) => !used.has(each))
  return [...found, ...unused.map((each) => `${each}: writes no runs: remove it from the exceptions of scripts/checks/run-writers.ts`)]
}
