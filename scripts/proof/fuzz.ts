/**
 * Sends random requests to all operations of the OpenAPI document, on both databases: `npm run fuzz -- --cases 100000`. Needs Python 3.10 or newer, and the
 * network the first time, for schemathesis. `--seed N` repeats a run. Every failure is printed with its curl command.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../packages/server/test/postgres/launcher.ts'
import { startServerProcess } from '../../packages/server/test/server-process.ts'
import { repositoryRoot } from '../repository.ts'
import type { ProbeResult } from './stall-probe.ts'

const version = '4.32.5'
const checks = ['not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'response_schema_conformance']
const stallMsMax = 100

/** Cases of the coverage phase for the whole document, measured. */
const coverageCases = 50_000

/** Schemathesis ends the stateful phase after a few scenarios unless it has a time. */
const statefulSeconds = (cases: number): string => String(Math.max(30, Math.ceil(cases / 500)))

/** Operations that are left out, by operation id, each with the reason. */
const excluded: Readonly<Record<string, string>> = {}

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    database: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
    workers: { type: 'string', default: '2' },
    // Part of a path, to repeat a failure.
    path: { type: 'string' },
  },
})

const schemathesis = install()
const document = JSON.parse(readFileSync(join(repositoryRoot, 'docs', 'openapi.json'), 'utf8')) as { paths: Record<string, object> }
const operations = Object.entries(document.paths)
  .filter(([path]) => path.includes(values.path ?? ''))
  .reduce((sum, [, methods]) => sum + Object.keys(methods).length, 0)
const folder = mkdtempSync(join(tmpdir(), 'millrace-fuzz-'))
let failed = false
try {
  for (const database of values.database) if (!(await fuzz(database))) failed = true
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)

/** Installs schemathesis once into the cache of the repository. Returns the program. */
function install(): string {
  const target = join(repositoryRoot, '.cache', `schemathesis-${version}`)
  const program = join(target, 'bin', 'schemathesis')
  if (existsSync(program)) return program
  mkdirSync(join(repositoryRoot, '.cache'), { recursive: true })
  execFileSync('python3', ['-m', 'venv', '--clear', target], { stdio: 'inherit' })
  execFileSync(join(target, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', `schemathesis==${version}`], { stdio: 'inherit' })
  return program
}

async function fuzz(database: string): Promise<boolean> {
  const postgres = database === 'postgres' ? await startPostgres() : undefined
  const url = postgres ? await postgres.createDatabase('fuzz') : `sqlite:${join(folder, 'fuzz.db')}`
  const probe = fileURLToPath(new URL('stall-probe.ts', import.meta.url))
  const file = join(folder, `${database}.json`)
  const server = await startServerProcess(url, [], { FUZZ_PROBE: file, NODE_OPTIONS: `--import ${probe}` })
  const began = performance.now()
  try {
    const hasPassed = await run(server.url)
    const seconds = Math.round((performance.now() - began) / 1000)
    const serverCode = await server.kill('SIGTERM')
    if (serverCode !== 0) throw new Error(`${database}: the server ended with ${serverCode}, seed ${values.seed}`)
    const { requests, longestMs, recent }: ProbeResult = JSON.parse(readFileSync(file, 'utf8'))
    const stalled = longestMs > stallMsMax ? ` (over ${stallMsMax} ms: ${recent.join(', ')})` : ''
    process.stdout.write(
      `${database}: ${requests} cases in ${seconds} s, seed ${values.seed}, longest turn of the event loop ${longestMs} ms${stalled}\n`,
    )
    return hasPassed && longestMs <= stallMsMax
  } finally {
    await server.kill('SIGKILL')
    await postgres?.stop()
  }
}

/** Returns whether all checks passed. */
async function run(serverUrl: string): Promise<boolean> {
  const cases = Number(values.cases)
  // Coverage takes as many cases as the document needs.
  const examples = Math.ceil(Math.max(cases - coverageCases, cases / 10) / operations)
  const passed = await runPhases(serverUrl, ['--phases', 'examples,coverage,fuzzing', '--max-examples', String(examples)])
  return (await runPhases(serverUrl, ['--phases', 'stateful', '--max-time', statefulSeconds(cases)])) && passed
}

async function runPhases(serverUrl: string, phases: readonly string[]): Promise<boolean> {
  const args = [
    ...['run', join(repositoryRoot, 'docs', 'openapi.json'), '--url', `${serverUrl}/api`, '--no-color', ...phases],
    ...['--checks', checks.join(','), '--mode', 'all', '--seed', values.seed, '--workers', values.workers],
    ...['--continue-on-failure', '--request-timeout', '30', '--warnings', 'off', '--suppress-health-check', 'all'],
    ...['--generation-database', 'none', '--output-truncate', 'true'],
    ...Object.keys(excluded).flatMap((id) => ['--exclude-operation-id', id]),
    ...(values.path ? ['--include-path-regex', values.path.replaceAll(/[{}]/g, '\\$&')] : []),
  ]
  const env = { ...process.env, HYPOTHESIS_STORAGE_DIRECTORY: folder }
  const child = spawn(schemathesis, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'], env })
  const [code] = await once(child, 'exit')
  return code === 0
}
