/**
 * Proves `millrace adopt` against the newest real server: `npm run adopt:proof`. Needs Python as `npm run interop` does, and some minutes.
 * For each kind of source: starts the reference server, runs real flows on it (interop/adopt/fill_server.py), enlarges its database, adopts it
 * into SQLite and PostgreSQL, and compares the responses of both servers.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { enlargeSource } from '../../packages/server/test/adopt/enlarge-source.ts'
import { freePort } from '../../packages/server/test/free-port.ts'
import { startPostgres } from '../../packages/server/test/postgres/launcher.ts'
import { startServerProcess } from '../../packages/server/test/server-process.ts'
import { compareServers } from './compare-servers.ts'
import { installClient, readClients } from './interop-clients.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    source: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
    target: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
    // The bin folder of an existing Python environment.
    bin: { type: 'string' },
  },
})

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'millrace-adopt-'))
const postgres = await startPostgres({})
const references = new Set<ChildProcess>()
let failures = 0
try {
  const newest = readClients(join(root, 'interop', 'clients.json'))
    .sort((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }))
    .at(-1)
  if (!newest) throw new Error('interop/clients.json lists no client')
  const bin = values.bin ?? (await installClient(newest, join(root, '.cache', 'interop')))
  for (const source of values.source) failures += await proveSource(source, bin)
} finally {
  for (const child of references) child.kill('SIGTERM')
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failures > 0 ? 1 : 0

async function proveSource(kind: string, bin: string): Promise<number> {
  const home = mkdtempSync(join(folder, `${kind}-`))
  const url = kind === 'postgres' ? await postgres.createDatabase('prefect') : join(home, 'prefect.db')
  const filling = await startReference(bin, home, url, [])
  await run(join(bin, 'python'), [join(root, 'interop/adopt/fill_server.py'), filling.url], {
    HOME: home,
    PREFECT_HOME: home,
    PREFECT_API_URL: filling.url,
  })
  await filling.stop()
  await enlargeSource(url, Number(values.runs))
  let found = 0
  for (const target of values.target) {
    const database = target === 'postgres' ? await postgres.createDatabase(`from_${kind}`) : `sqlite:${join(home, 'millrace.db')}`
    await run(process.execPath, [join(root, 'packages/millrace/bin/millrace.mjs'), 'adopt', url, '--database', database], { HOME: home })
    // Without services, which would change the data during the comparison.
    const reference = await startReference(bin, home, url, ['--no-services'])
    const ours = await startServerProcess(database, ['--no-services', '--no-ui'])
    const { counts, differences } = await compareServers(reference.url, `${ours.url}/api`)
    await ours.kill('SIGTERM')
    await reference.stop()
    console.log(`\nfrom ${kind} to ${target}: ${[...counts].map(([noun, count]) => `${count} ${noun}`).join(', ')}`)
    console.log(differences.length === 0 ? 'all responses are equal' : `${differences.length} DIFFERENCES\n${differences.slice(0, 50).join('\n')}`)
    found += differences.length
  }
  return found
}

interface Reference {
  readonly url: string
  stop(): Promise<void>
}

async function startReference(bin: string, home: string, database: string, args: readonly string[]): Promise<Reference> {
  const port = await freePort()
  const child = spawn(join(bin, 'prefect'), ['server', 'start', '--host', '127.0.0.1', '--port', String(port), '--no-ui', ...args], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      PREFECT_HOME: home,
      PREFECT_SERVER_ANALYTICS_ENABLED: 'false',
      PREFECT_API_DATABASE_CONNECTION_URL: database.startsWith('postgres')
        ? database.replace(/^postgres:/, 'postgresql+asyncpg:')
        : `sqlite+aiosqlite:///${database}`,
    },
  })
  references.add(child)
  const url = `http://127.0.0.1:${port}/api`
  for (let tries = 0; !(await answers(`${url}/health`)); tries += 1) {
    if (tries > 120 || child.exitCode !== null) throw new Error('the reference server did not start')
    await wait(1000)
  }
  return { url, stop: () => ended(child) }
}

async function ended(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function run(command: string, args: readonly string[], env: Record<string, string>): Promise<void> {
  const child = spawn(command, args, { stdio: 'inherit', env: { PATH: process.env.PATH ?? '', ...env } })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${command} ${args[0]} exited with ${code}`)
}
