/**
 * Runs programs of the real Python client against Millrace: `npm run interop -- --help`. Needs Python with pip and a package index.
 */
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Postgres, startPostgres } from '../../packages/server/test/postgres/launcher.ts'
import { startServerProcess } from '../../packages/server/test/server-process.ts'
import { type Client, installClient, readClients } from './interop-clients.ts'
import { isApplicable, readScenarios, runScenario, type Scenario, type ScenarioResult } from './interop-scenarios.ts'
import { type InteropRun, updateTable } from './interop-table.ts'

const help = `npm run interop -- [options]
  --client VERSION      a version of interop/clients.json; repeatable (default: all)
  --database KIND       sqlite or postgres (default: both, one after the other)
  --mode MODE           plain, auth (a password) or csrf (tokens); repeatable (default: plain)
  --only NAME           a scenario; repeatable (default: all)
  --scenarios FOLDER    a folder instead of interop/scenarios
  --repeat N            repeat everything N times
  --patience N          multiply all timeouts by N, for a busy machine
  --write               write the results into the table of docs/compatibility.md and keep its other cells`

const { values } = parseArgs({
  options: {
    client: { type: 'string', multiple: true },
    database: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
    mode: { type: 'string', multiple: true, default: ['plain'] },
    only: { type: 'string', multiple: true },
    scenarios: { type: 'string' },
    repeat: { type: 'string', default: '1' },
    patience: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(help)
  process.exit(0)
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, '.cache', 'interop')
const password = 'ada:engine-no-1'
const timeoutFactor = Number(values.patience)

const known = readClients(join(root, 'interop', 'clients.json'))
const clients = (values.client ?? known.map(({ version }) => version)).map(
  (version): Client => known.find((client) => client.version === version) ?? { version },
)
const scenarios = readScenarios(values.scenarios ?? join(root, 'interop', 'scenarios')).filter(({ name }) => values.only?.includes(name) ?? true)
if (scenarios.length === 0) throw new Error(`no such scenario: ${values.only?.join(', ')}`)

const runs: InteropRun[] = []
let postgres: Postgres | undefined
for (let round = 0; round < Number(values.repeat); round += 1)
  for (const client of clients)
    for (const database of values.database)
      for (const mode of values.mode) {
        runs.push(await runScenarios(client, database, mode, round))
        // After each run: the whole takes an hour, and an interrupted one keeps its results.
        if (values.write) writeTable()
      }
await postgres?.stop()

const failed = runs.reduce(
  (sum, { results: outcomes, serverErrors }) => sum + outcomes.filter(([, outcome]) => !outcome.passed).length + serverErrors,
  0,
)
const passed = runs.reduce((sum, { results: outcomes }) => sum + outcomes.filter(([, outcome]) => outcome.passed).length, 0)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function writeTable(): void {
  const page = join(root, 'docs', 'compatibility.md')
  writeFileSync(page, updateTable(readFileSync(page, 'utf8'), runs))
}

/** Runs all scenarios of one client against a new server. */
async function runScenarios(client: Client, database: string, mode: string, round: number): Promise<InteropRun> {
  const bin = await installClient(client, cache)
  const scratch = mkdtempSync(join(tmpdir(), 'millrace-interop-'))
  const url = database === 'sqlite' ? `sqlite:${join(scratch, 'millrace.db')}` : await postgresUrl(`interop_${runs.length}`)
  const auth = mode === 'auth' ? password : undefined
  const server = await startServerProcess(url, [], {
    MILLRACE_SERVER_LOG_LEVEL: 'info',
    // Scenarios receive webhooks on this machine.
    MILLRACE_AUTOMATIONS_WEBHOOK_ALLOW_PRIVATE_URLS: 'true',
    ...(auth !== undefined && { MILLRACE_SERVER_API_AUTH_STRING: auth }),
    ...(mode === 'csrf' && { MILLRACE_SERVER_API_CSRF_PROTECTION_ENABLED: 'true' }),
  })
  const log = join(scratch, 'server.log')
  const logged = createWriteStream(log)
  server.child.stdout?.pipe(logged)
  console.log(`\nclient ${client.version}, ${database}, ${mode}${round > 0 ? `, round ${round + 1}` : ''}`)
  const outcomes: [Scenario, ScenarioResult][] = []
  for (const scenario of scenarios.filter((each) => isApplicable(each, client.version, mode))) {
    const outcome = await runScenario(scenario, { api: `${server.url}/api`, auth, bin, timeoutFactor })
    console.log(
      `  ${outcome.passed ? 'ok  ' : 'FAIL'} ${scenario.name} (${outcome.seconds.toFixed(0)} s)${outcome.failure && `: ${outcome.failure}`}`,
    )
    outcomes.push([scenario, outcome])
  }
  await Promise.all([finished(logged), server.kill('SIGTERM')])
  // The server logs each 5xx response and each failure of a service as an error.
  const errors = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => /"level":[56]0/.test(line))
  for (const line of errors) console.log(`  FAIL the server logged ${line.slice(0, 600)}`)
  rmSync(scratch, { recursive: true, force: true })
  return { client: client.version, database, mode, results: outcomes, serverErrors: errors.length }
}

async function postgresUrl(name: string): Promise<string> {
  postgres ??= await startPostgres()
  return postgres.createDatabase(name)
}
