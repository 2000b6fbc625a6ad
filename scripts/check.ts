/** Runs all checks of `npm run check`: style, types, house rules, generated files. Needs no database and no network. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { houseRuleViolations } from './checks/house-rules.ts'
import { importViolations } from './checks/import-rules.ts'
import { runWriterViolations } from './checks/run-writers.ts'
import { generators } from './generate/generators.ts'
import { findDrift } from './generate.ts'
import { listUnscannedFiles, repositoryRoot } from './repository.ts'

/** Returns the problems as text; an empty text when there are none. */
type Check = () => Promise<string> | string

const run =
  (program: string, ...args: string[]): Check =>
  () =>
    new Promise((resolve) => {
      const path = join(repositoryRoot, 'node_modules', '.bin', program)
      execFile(path, args, { cwd: repositoryRoot, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
        resolve(error ? `${stdout}${stderr}`.trim() || error.message : '')
      })
    })

const lines = (found: readonly string[]) => found.join('\n')

const checks: Readonly<Record<string, Check>> = {
  'style (Biome)': run('biome', 'check', '--error-on-warnings', '--max-diagnostics=50'),
  'types (TypeScript)': run('tsc', '-p', '.'),
  'types of the dashboard': run('tsc', '-p', 'packages/dashboard'),
  'unused code (knip)': run('knip', '--no-progress', '--treat-config-hints-as-errors'),
  'import rules': () =>
    lines([...listUnscannedFiles(repositoryRoot).map((path) => `${path}: not scanned by the import check`), ...importViolations(repositoryRoot)]),
  'house rules': () => lines(houseRuleViolations(repositoryRoot)),
  'writers of runs': () => lines(runWriterViolations(repositoryRoot)),
  'generated files': async () => lines((await findDrift(repositoryRoot, generators)).map(({ reason }) => reason)),
}

const results = await Promise.all(
  Object.entries(checks).map(async ([name, check]) => {
    const problems = await Promise.try(check).catch((error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error)))
    console.log(problems === '' ? `ok    ${name}` : `FAIL  ${name}\n${problems.replace(/^/gm, '      ')}`)
    return { name, passed: problems === '' }
  }),
)
const failed = results.filter(({ passed }) => !passed).length
mkdirSync(join(repositoryRoot, '.cache'), { recursive: true })
writeFileSync(join(repositoryRoot, '.cache', 'check-results.json'), JSON.stringify(results))
console.log(`\n${results.length - failed} passed, ${failed} failed`)
if (failed > 0) console.log('`npm run format` fixes style, `npm run generate` updates generated files.')
process.exitCode = failed > 0 ? 1 : 0
