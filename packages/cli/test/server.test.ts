import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { version } from '../../server/src/version.ts'
import { newFolder } from '../../server/test/databases.ts'
import { freePort } from '../../server/test/free-port.ts'
import { cliServer, runCli } from './cli-test.ts'

const launcher = fileURLToPath(new URL('../../millrace/bin/millrace.mjs', import.meta.url))

describe('a server in the background', () => {
  const home = newFolder('home')
  const env = { HOME: home, PATH: process.env.PATH ?? '', MILLRACE_SERVER_SHUTDOWN_DELAY_SECONDS: '0' }
  const millrace = (...argv: string[]) => runCli(argv, { env })
  let port: number
  let started: { pid: number; url: string; version: string; log_file: string }

  beforeAll(async () => {
    port = await freePort()
    const { code, stdout, stderr } = await millrace('server', 'start', '--background', '--no-ui', '--port', String(port), '-o', 'json')
    // A start that takes long says so.
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^(Waiting for the server\..*\n)?$/) })
    started = JSON.parse(stdout)
  })
  afterAll(() => {
    try {
      process.kill(started.pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  })

  test('is ready when the command returns, with its log next to the database', async () => {
    expect(started).toEqual({ pid: expect.any(Number), url: `http://127.0.0.1:${port}`, version, log_file: join(home, '.millrace/millrace.log') })
    expect((await fetch(`${started.url}/api/health`)).status).toBe(200)
    expect(readFileSync(started.log_file, 'utf8')).toContain('is ready at')
    expect(statSync(started.log_file).mode & 0o777).toBe(0o600)
  })

  test.runIf(process.platform === 'linux')('has the settings of the allocator', () => {
    expect(readFileSync(`/proc/${started.pid}/environ`, 'utf8').split('\0')).toContain('MALLOC_ARENA_MAX=2')
  })

  test('is found by `server status` without an address', async () => {
    const { code, stdout } = await millrace('server', 'status', '-o', 'json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      url: `http://127.0.0.1:${port}/api`,
      healthy: true,
      ready: true,
      problem: null,
      version,
      database: 'sqlite',
      pid: started.pid,
      started: expect.stringMatching(/^20/),
    })
    const text = await millrace('server', 'status', '--port', String(port))
    expect(text.stdout).toMatch(
      new RegExp(
        `^URL +http://127.0.0.1:${port}/api\nHealthy +yes\nReady +yes\nVersion +${version}\nDatabase +sqlite\nProcess +${started.pid}\nStarted +20`,
      ),
    )
  })

  test('is named by other commands that look for a server elsewhere', async () => {
    const { code, stderr } = await millrace('variable', 'ls')
    // Another program may use the default port.
    if (code === 24) expect(stderr).toContain(`\nA server of yours runs at http://127.0.0.1:${port}.\n`)
  })

  test('is listed', async () => {
    const { stdout } = await millrace('server', 'ls')
    expect(stdout).toMatch(new RegExp(`^URL +PID +VERSION +DATABASE +STARTED\nhttp://127.0.0.1:${port} +${started.pid} +${version} +sqlite `))
    expect(JSON.parse((await millrace('server', 'ls', '-o', 'json')).stdout)).toMatchObject([{ pid: started.pid, url: started.url }])
  })

  test('rejects a second server on its port and shows the log', async () => {
    const log = join(home, 'second.log')
    const result = await millrace(
      'server',
      'start',
      '--background',
      '--no-ui',
      '--port',
      String(port),
      '--database',
      'sqlite::memory:',
      '--log-file',
      log,
    )
    expect(result).toMatchObject({ code: 20, stdout: '' })
    expect(result.stderr).toContain(`Error: The server ended. Its log ${log} says:\nPort ${port} on 127.0.0.1 is in use by another program.`)
  })

  test('is one of several: the port must be given', async () => {
    const folder = join(home, '.millrace', 'run')
    const other = join(folder, '1.json')
    writeFileSync(
      other,
      JSON.stringify({
        pid: process.pid,
        process_start: null,
        machine: hostname(),
        url: 'http://127.0.0.1:1',
        version,
        started: '',
        database: 'sqlite',
      }),
    )
    const result = await millrace('server', 'stop')
    expect(result).toMatchObject({
      code: 26,
      stderr: expect.stringContaining(
        `Several servers run on this machine. Choose one with --port or --pid:\n  http://127.0.0.1:1 (process ${process.pid})`,
      ),
    })
    expect(await millrace('server', 'status')).toMatchObject({ code: 26 })
    expect(await millrace('server', 'status', '--port', '1')).toMatchObject({ code: 24 })
    expect(await millrace('server', 'status', '--pid', '1')).toMatchObject({ code: 24, stderr: expect.stringContaining('has the process id 1.') })
    expect(await millrace('server', 'status', '--pid', String(started.pid))).toMatchObject({ code: 0 })
    const named = await runCli(['server', 'status', '-o', 'json'], { env: { ...env, MILLRACE_API_URL: `http://localhost:${port}` } })
    expect(JSON.parse(named.stdout)).toMatchObject({ url: `http://localhost:${port}/api`, pid: started.pid })
    writeFileSync(other, '')
  })

  test('ends with `server stop`, which removes its file', async () => {
    expect(await millrace('server', 'stop', '--port', '1')).toMatchObject({ code: 24, stderr: 'Error: No server of this user runs on port 1.\n' })
    expect(await millrace('server', 'stop', '--port', String(port))).toEqual({
      code: 0,
      stdout: `Stopped the server at http://127.0.0.1:${port} (process ${started.pid}).\n`,
      stderr: '',
    })
    expect(readdirSync(join(home, '.millrace', 'run'))).toEqual(['1.json'])
    expect(await millrace('server', 'stop')).toMatchObject({ code: 24, stderr: 'Error: No server of this user runs on this machine.\n' })
    expect(await millrace('server', 'status', '--port', String(port))).toMatchObject({ code: 24, stderr: expect.stringContaining('Cannot reach') })
    expect(await millrace('server', 'ls')).toMatchObject({ code: 0, stderr: 'No servers.\n' })
  })
})

test('`server services start --background` runs without an API', async () => {
  const home = newFolder('home')
  const env = { HOME: home, PATH: process.env.PATH ?? '', MILLRACE_SERVER_SHUTDOWN_DELAY_SECONDS: '0' }
  const started = await runCli(['server', 'services', 'start', '--background'], { env })
  expect(started.stdout).toMatch(/^Millrace \S+ runs its background services \(process \d+\)\.\nLog: /)
  expect((await runCli(['server', 'status'], { env })).stdout).toMatch(/^URL\nHealthy\nReady\n/)
  expect(await runCli(['server', 'stop'], { env })).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Stopped the server \(process/) })
})

test('a server starts in the foreground in the same process and without a writable home folder', async () => {
  const home = newFolder('home')
  writeFileSync(join(home, '.millrace'), '')
  const child = spawn(process.execPath, [launcher, '--port', '0', '--no-ui', '--database', 'sqlite::memory:'], {
    env: { PATH: process.env.PATH ?? '', HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  for await (const piece of child.stdout) {
    said += piece
    if (said.includes('is ready at')) break
  }
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})

test('wrong settings are reported before a process starts', async () => {
  const home = newFolder('home')
  const result = await runCli(['server', 'start', '--background', '--port', 'x'], { env: { HOME: home } })
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('Error: --port: "x" is not a whole number') })
  expect(existsSync(join(home, '.millrace'))).toBe(false)
  expect(await runCli(['server', 'start', '--log-file', 'x'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--log-file needs --background'),
  })
})

test('a log that cannot be written is reported', async () => {
  const home = newFolder('home')
  mkdirSync(join(home, 'log'))
  const argv = ['server', 'start', '--background', '--database', 'sqlite::memory:', '--log-file', join(home, 'log')]
  expect(await runCli(argv, { env: { HOME: home } })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Name another file with --log-file.'),
  })
})

describe('a server elsewhere', () => {
  const server = cliServer({ MILLRACE_SERVICES_LATE_RUNS_ENABLED: 'false', MILLRACE_SERVICES_RETENTION_EVERY_SECONDS: '7200' })

  test('has a status without a process', async () => {
    expect(await server.json('server', 'status')).toMatchObject({
      url: server.url,
      healthy: true,
      ready: true,
      pid: null,
      started: null,
      version,
      database: 'sqlite',
    })
  })

  test('has background services with their settings', async () => {
    const { stdout } = await server.millrace('server', 'services', 'ls')
    expect(stdout).toMatch(/^SERVICE +ENABLED +EVERY\nscheduler +yes +5s\nlate-runs +no +5s\n/)
    expect(stdout).toMatch(/^retention +yes +2h$/m)
    expect(await server.json('server', 'services', 'ls')).toContainEqual({ name: 'late-runs', enabled: false, every_seconds: 5 })
  })
})

describe('a server that is not ready and has a password', () => {
  const server = cliServer({ MILLRACE_SERVER_API_AUTH_STRING: 'admin:secret' })

  test('has a status without credentials', async () => {
    expect(await server.json('server', 'status')).toMatchObject({ healthy: true, ready: true, version: null, database: null })
    const draining = server.app.drain()
    const { code, stdout } = await server.millrace('server', 'status')
    expect(code).toBe(1)
    expect(stdout).toMatch(/^Ready +no: ./m)
    await draining
  })
})
