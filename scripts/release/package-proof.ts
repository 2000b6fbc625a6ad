/**
 * Proves the npm package as a new user meets it: `npm run package:proof`. Needs the network, the Node of the system and Python with the client of the
 * reference (`--python`). Builds the tarball, installs it as a plain user with an empty home directory, starts it, runs the flow of README.md against
 * it, and checks the types with several versions of TypeScript. Prints the measured figures.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { repositoryRoot } from '../repository.ts'
import { buildPackage, megabytes } from './package.ts'
import { compileConsumer } from './package-consumer.ts'
import { newUser } from './package-proof-user.ts'

const { values } = parseArgs({
  options: {
    // An interpreter with the package `prefect`.
    python: { type: 'string', default: 'python3' },
    // A folder with `node` and `npm` of the version to prove.
    bin: { type: 'string', default: '/usr/bin' },
  },
})

const readySecondsMax = 3
const versionMsMax = 80
const failures: string[] = []

const folder = mkdtempSync(join(tmpdir(), 'millrace-proof-'))
const user = newUser(folder, values.bin)
try {
  await proveBuild()
  await proveInstallation()
  await proveServer()
  await proveVersionTime()
  await proveTypes()
  await proveLinters()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(failures.length === 0 ? '\nall proved' : `\n${failures.length} FAILED\n${failures.join('\n')}`)
process.exitCode = failures.length > 0 ? 1 : 0

/** Prints a figure, and counts it as a failure if it is not as promised. */
function report(name: string, value: string, isMet = true): void {
  console.log(`${isMet ? 'ok  ' : 'FAIL'}  ${name}: ${value}`)
  if (!isMet) failures.push(`${name}: ${value}`)
}

async function proveBuild(): Promise<void> {
  const built = await buildPackage(join(folder, 'out'))
  report('tarball', `${megabytes(built.tarballBytes)}, unpacked ${megabytes(built.unpackedBytes)}, ${built.fileCount} files`)
  report('packages inside', String(built.components.length))
  // The dashboard and the documentation too are built again.
  for (const name of ['dashboard', 'site']) rmSync(join(repositoryRoot, `packages/${name}/dist`), { recursive: true })
  const again = await buildPackage(join(folder, 'again'))
  report('two builds are equal', built.sha256, again.sha256 === built.sha256)
  user.take(built.tarball)
}

async function proveInstallation(): Promise<void> {
  report('user', `uid ${user.uid}, Node ${(await user.run('node', ['--version'])).trim()}, npm ${(await user.run('npm', ['--version'])).trim()}`)
  const startedAt = performance.now()
  await user.run('npm', ['install', '--no-audit', '--no-fund', user.tarball], user.network)
  report('npm install', seconds(performance.now() - startedAt))
  const modules = join(user.project, 'node_modules')
  const packages = readdirSync(modules).filter((name) => !name.startsWith('.'))
  report('installed packages', `${packages.length} (${packages.join(', ')})`, packages.length <= 25)
  for (const name of packages) report(`size of ${name}`, megabytes(treeBytes(join(modules, name))))
}

async function proveServer(): Promise<void> {
  for (const [name, command] of [
    ['npx millrace, fresh database', ['npx', 'millrace']],
    ['npx millrace, second start', ['npx', 'millrace']],
    ['node_modules/.bin/millrace', ['node_modules/.bin/millrace']],
  ] as const) {
    const server = await user.startServer(command)
    try {
      report(name, `dashboard and API answer after ${seconds(server.readyMs)}`, server.readyMs <= readySecondsMax * 1000)
      if (name.includes('fresh')) await proveUse(server.url)
    } finally {
      const code = await server.stop()
      // npx itself ends by the signal.
      report('SIGTERM', `exit code ${code}`, code === 0 || command[0] === 'npx')
    }
    report('start-up message', server.output().trim(), /^Millrace \S+ is ready at \S+$/.test(server.output().trim()))
  }
}

async function proveUse(url: string): Promise<void> {
  const example = /```python[^\n]*\n(.*?)```/s.exec(readFileSync(join(repositoryRoot, 'README.md'), 'utf8'))?.[1]
  const file = join(folder, 'hello.py')
  writeFileSync(file, example as string)
  // As the user of this process: the interpreter is often in a home directory that others cannot read.
  const { PATH = '' } = process.env
  const env = { PATH, HOME: folder, PREFECT_API_URL: `${url}/api`, PREFECT_HOME: join(folder, 'prefect') }
  const output = await promisify(execFile)(values.python, [file], { env })
  const response = await fetch(`${url}/api/flow_runs/filter`, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
  const runs = (await response.json()) as { state_type: string }[]
  report('flow of README.md', runs.map(({ state_type }) => state_type).join(), runs.length === 1 && runs[0]?.state_type === 'COMPLETED')
  if (runs.length !== 1) console.log(output.stdout, output.stderr)
  const help = await fetch(`${url}/help/deployment`)
  report('documentation at /help', `${help.status}`, help.ok && (await help.text()).includes('<h1'))
  const listed = await user.run('npx', ['millrace', '--server', `${url}/api`, 'flow-run', 'ls', '-o', 'json']).then(
    (text) => `${JSON.parse(text).length} run`,
    (error: Error) => error.message,
  )
  report('millrace flow-run ls', listed, listed === '1 run')
}

async function proveVersionTime(): Promise<void> {
  const own = join(user.project, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin/node')
  for (const node of [join(values.bin, 'node'), own].filter(existsSync)) {
    const script = join(user.project, 'node_modules/millrace/bin/millrace.mjs')
    const ms = await medianMs(() => user.run(node, [script, '--version']))
    const aloneMs = await medianMs(() => user.run(node, ['-e', '0']))
    const name = `millrace --version on ${(await user.run(node, ['--version'])).trim()}`
    report(name, `${ms.toFixed()} ms (p50 of 20), of which Node alone ${aloneMs.toFixed()} ms`, ms <= versionMsMax)
  }
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let turn = 0; turn < 20; turn += 1) {
    const startedAt = performance.now()
    await work()
    times.push(performance.now() - startedAt)
  }
  return times.sort((a, b) => a - b)[10] as number
}

async function proveTypes(): Promise<void> {
  for (const version of ['5.6', '5.9', '7.0']) {
    const place = join(folder, `typescript-${version}`)
    await user.run('npm', ['install', '--no-audit', '--no-fund', '--prefix', place, `typescript@${version}`, '@types/node@20'], user.network)
    const tsc = join(place, 'node_modules/typescript/bin/tsc')
    const nodeTypes = { lib: ['es2022'], types: [join(place, 'node_modules/@types/node')] }
    for (const resolution of ['bundler', 'nodenext'] as const) {
      for (const options of [{}, nodeTypes]) {
        const errors = await compileConsumer(user.project, tsc, resolution, options)
        report(`TypeScript ${version}, ${resolution}${options === nodeTypes ? ', Node 20 without DOM' : ''}`, errors || 'no errors', errors === '')
      }
    }
  }
}

/** Run by npx: they would bring more packages than all other tools of the repository. */
async function proveLinters(): Promise<void> {
  for (const [name, args] of [
    ['publint', ['publint@0.3', 'run', user.tarball, '--strict']],
    // CommonJS loads the client with require(esm), which Node has since 20.19.
    ['are the types wrong', ['@arethetypeswrong/cli@0.18', user.tarball, '--ignore-rules', 'cjs-resolves-to-esm', '--no-emoji', '--no-color']],
  ] as const) {
    const problem = await user.run('npx', ['--yes', ...args], user.network).then(
      () => '',
      (error: Error) => error.message,
    )
    report(name, problem || 'no problems', problem === '')
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}

function treeBytes(path: string): number {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
