import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { usage } from '../../server/src/config/flags.ts'

/** A package with small bundles that print what they received. */
let folder = ''

const bundle = (name: string) => `
export async function main(argv, ...more) {
  process.on('SIGTERM', () => process.exit(7))
  if (process.env.WAIT) setInterval(() => {}, 1000)
  const flags = process.execArgv.filter((flag) => /^--(?:max|heap)/.test(flag))
  console.log(JSON.stringify({ bundle: '${name}', pid: process.pid, argv, more, flags, allocatorAreas: process.env.MALLOC_ARENA_MAX }))
  if (argv.includes('--fail')) process.exitCode = 3
}
`

/** Makes the first process look like Node 20, which cannot replace its program. Its children see themselves as they are. */
const oldNode = `data:text/javascript,
  if (process.env.OLD_NODE) {
    delete process.env.OLD_NODE;
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } });
    process.execve = undefined;
  }`.replaceAll(/\n\s*/g, ' ')

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-launch-'))
  cpSync(join(import.meta.dirname, '../bin'), join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "version": "9.8.7" }')
  mkdirSync(join(folder, 'dist'))
  for (const name of ['server', 'cli']) writeFileSync(join(folder, 'dist', `${name}.mjs`), bundle(name))
  // Programs that may be on the PATH.
  mkdirSync(join(folder, 'old'))
  writeFileSync(join(folder, 'old', 'node'), '#!/bin/sh\necho v20.19.0\n')
  chmodSync(join(folder, 'old', 'node'), 0o755)
  mkdirSync(join(folder, 'new'))
  // A script instead of a link, since the launcher skips the program that it runs on.
  writeFileSync(join(folder, 'new', 'node24'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`)
  chmodSync(join(folder, 'new', 'node24'), 0o755)
})

afterAll(() => rmSync(folder, { recursive: true }))

function start(argv: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--import', oldNode, join(folder, 'bin/millrace.mjs'), ...argv], {
    env: { PATH: '/usr/bin:/bin', HOME: join(folder, 'home'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return child
}

async function run(argv: readonly string[], env: Record<string, string> = {}) {
  const child = start(argv, env)
  const ended = once(child, 'exit')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await ended
  return { code, stdout, stderr }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

const isOld = (path: string) => ({ OLD_NODE: '1', PATH: path })

test('prints the version of the package', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, stdout: '9.8.7\n', stderr: '' })
  expect(await run(['-V'])).toEqual({ code: 0, stdout: '9.8.7\n', stderr: '' })
})

test.each([
  { argv: [], bundle: 'server', passed: [], more: ['millrace server start'], flags: ['--max-semi-space-size=8', '--heap-growing-percent=50'] },
  {
    argv: ['server', 'start', '--port', '1'],
    bundle: 'server',
    passed: ['--port', '1'],
    more: ['millrace server start'],
    flags: ['--max-semi-space-size=8', '--heap-growing-percent=50'],
  },
  {
    argv: ['--port=1', '--database', '--help', '--no-ui'],
    bundle: 'server',
    passed: ['--port=1', '--database', '--help', '--no-ui'],
    more: ['millrace server start'],
    flags: ['--max-semi-space-size=8', '--heap-growing-percent=50'],
  },
  { argv: ['server', 'status'], bundle: 'cli', passed: ['server', 'status'], more: [expect.any(Array)], flags: [] },
  { argv: ['server', 'start', '--background'], bundle: 'cli', passed: ['server', 'start', '--background'], more: [expect.any(Array)], flags: [] },
  { argv: ['server', 'start', '--help'], bundle: 'cli', passed: ['server', 'start', '--help'], more: [expect.any(Array)], flags: [] },
  { argv: ['flow-run', 'ls', '--version'], bundle: 'cli', passed: ['flow-run', 'ls', '--version'], more: [expect.any(Array)], flags: [] },
])('runs $argv with the bundle $bundle', async ({ argv, bundle, passed, more, flags }) => {
  for (const env of [{}, isOld(join(folder, 'new'))]) {
    const { code, stdout, stderr } = await run(argv, env)
    const allocatorAreas = bundle === 'server' ? '2' : undefined
    const started = { bundle, pid: expect.any(Number), argv: passed, more, flags, allocatorAreas }
    expect({ code, stderr, ...JSON.parse(stdout) }).toEqual({ code: 0, stderr: '', ...started })
  }
})

test('keeps a setting of the allocator that the user made', async () => {
  expect(JSON.parse((await run([], { MALLOC_ARENA_MAX: '5' })).stdout)).toMatchObject({ bundle: 'server', allocatorAreas: '5' })
})

test('tells the command line how to start a server', async () => {
  const { more } = JSON.parse((await run(['dev'])).stdout)
  expect(more).toEqual([[process.execPath, '--max-semi-space-size=8', '--heap-growing-percent=50', join(folder, 'bin/server.mjs')]])
  const [program, ...args] = more[0]
  const server = spawn(program, [...args, '--new-flag'], { env: { HOME: join(folder, 'home') }, stdio: ['ignore', 'pipe', 'inherit'] })
  expect(JSON.parse(await text(server.stdout))).toMatchObject({ bundle: 'server', argv: ['--new-flag'] })
})

test('knows all flags of the server that set a setting', () => {
  // A flag that it does not know takes longer: the command line starts the server then.
  const listed = [...readFileSync(join(import.meta.dirname, '../bin/launch.mjs'), 'utf8').matchAll(/^ {2}'(--[\w-]+)': (\w+),$/gm)]
  const usageLines = usage('x').matchAll(/^ {2}(--[\w-]+)( [A-Z]+)? /gm)
  const expected = [...usageLines].map(([, name, takes]) => [name, String(takes !== undefined)])
  expect(listed.map(([, name, takes]) => [name, takes])).toEqual(expected.filter(([name]) => name !== '--help' && name !== '--version'))
})

test('uses the first Node on the PATH that is new enough', async () => {
  const { stdout } = await run(['flow', 'ls'], isOld(`relative:${join(folder, 'missing')}:${join(folder, 'old')}:${join(folder, 'new')}`))
  expect(JSON.parse(stdout)).toMatchObject({ bundle: 'cli' })
})

test('prefers the Node that the package brings', async () => {
  const own = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin')
  mkdirSync(own, { recursive: true })
  symlinkSync(join(folder, 'new', 'node24'), join(own, 'node'))
  const { stdout } = await run(['flow', 'ls'], isOld(join(folder, 'old')))
  rmSync(join(folder, 'node_modules'), { recursive: true })
  expect(JSON.parse(stdout)).toMatchObject({ bundle: 'cli' })
})

test('says in one line what to do without a Node that is new enough', async () => {
  const { code, stdout, stderr } = await run([], isOld(join(folder, 'old')))
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^Millrace needs Node 24 or later.*Run `npm install --include=optional millrace`/),
  ])
})

test('passes exit codes and signals through', async () => {
  for (const env of [{}, isOld(join(folder, 'new'))]) {
    expect((await run(['flow', 'ls', '--fail'], env)).code).toBe(3)
    const child = start(['server', 'start'], { ...env, WAIT: '1' })
    const ended = once(child, 'exit')
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    expect(await ended).toEqual([7, null])
  }
})

test('ends the server when the shell of npx ends', async () => {
  for (const env of [{}, isOld(join(folder, 'new'))]) {
    const command = `"${process.execPath}" --import "${oldNode}" "${join(folder, 'bin/millrace.mjs')}" server start; exit 1`
    const shell = spawn('/bin/sh', ['-c', command], {
      env: { PATH: '', HOME: join(folder, 'home'), npm_command: 'exec', WAIT: '1', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(shell.stdout, 'data')
    const { pid } = JSON.parse(String(line))
    onTestFinished(() => endProcess(pid))
    shell.kill('SIGTERM')
    // The pipe is closed when the last process that holds it ends.
    await once(shell.stdout, 'close')
  }
})

test('keeps compiled code in the cache folder of the user', async () => {
  const home = join(folder, 'cached')
  mkdirSync(home)
  expect((await run(['flow', 'ls'], { HOME: home })).code).toBe(0)
  expect(existsSync(join(home, '.cache', 'millrace'))).toBe(true)
  const cache = join(folder, 'xdg')
  expect((await run(['flow', 'ls'], { XDG_CACHE_HOME: cache })).code).toBe(0)
  expect(existsSync(join(cache, 'millrace'))).toBe(true)
})

test('runs without a cache folder that it can write', async () => {
  const unwritable: Record<string, string>[] = [{ HOME: '/proc/none' }, { HOME: '' }, { XDG_CACHE_HOME: '/dev/null/none' }]
  for (const env of unwritable) {
    expect(await run(['flow', 'ls'], env)).toMatchObject({ code: 0, stderr: '' })
  }
})
