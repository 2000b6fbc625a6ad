import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../server/test/free-port.ts'
import { commandGroups } from '../src/groups.ts'
import { expandArguments } from '../src/program.ts'
import { cliServer, runCli } from './cli-test.ts'

const launcher = fileURLToPath(new URL('../../millrace/bin/millrace.mjs', import.meta.url))

const server = cliServer()

describe('help', () => {
  test('lists all groups under headings', async () => {
    const { code, stdout } = await runCli(['--help'])
    expect(code).toBe(0)
    for (const { name, summary, heading } of commandGroups) {
      expect(stdout).toContain(`\n${heading}:\n`)
      expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'))
    }
  })

  test('shows the global options and the examples of a command', async () => {
    const { stdout } = await runCli(['variable', 'ls', '--help'])
    expect(stdout).toContain('List variables by name, with their values as JSON.')
    expect(stdout).toMatch(/Global Options:\n {2}--server <url>/)
    expect(stdout).not.toContain('--version')
    expect(stdout).toContain('Examples:\n  millrace variable ls\n')
  })

  test('accepts `help` before a noun and before a verb', async () => {
    expect((await runCli(['help', 'variable', 'ls'])).stdout).toBe((await runCli(['variable', 'ls', '--help'])).stdout)
    expect((await runCli(['variable', 'help', 'ls'])).stdout).toBe((await runCli(['variable', 'ls', '--help'])).stdout)
    expect((await runCli(['help'])).stdout).toBe((await runCli(['--help'])).stdout)
  })

  test('wraps to the width of the terminal', async () => {
    const { stdout } = await runCli(['--help'], { columns: 80 })
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80)
  })
})

describe('wrong command lines', () => {
  test.each([
    [['flwo-run', 'ls'], "Error: unknown command 'flwo-run'\n(Did you mean flow-run?)\nUsage: millrace [options] [command]\n"],
    [['variable', 'lss'], "Error: unknown command 'lss'\n(Did you mean ls?)\nUsage: millrace variable [options] [command]\n"],
    [['variable', 'ls', '--tga', 'x'], "Error: unknown option '--tga'\n(Did you mean --tag?)\nUsage: millrace variable ls [options]\n"],
    [['variable', 'ls', '--limit', 'x'], "Error: option '--limit <n>' argument 'x' is invalid. It is not a whole number.\n"],
    [['variable', 'get'], "Error: missing required argument 'name'\nUsage: millrace variable get|inspect [options] <name>\n"],
    [['variable', 'get', 'a', 'b'], "Error: too many arguments for 'get'. Expected 1 argument but got 2.\n"],
    [
      ['variable', 'ls', '-o', 'xml'],
      "Error: option '-o, --output <format>' argument 'xml' is invalid. Allowed choices are table, wide, json, yaml.\n",
    ],
    [['--server', 'x', 'variable', 'ls'], 'Error: --server: "x" is not a URL such as http://127.0.0.1:4200/api\n'],
    [['--server', 'http://a:b@x', 'variable', 'ls'], 'Error: --server: a URL must not contain credentials.'],
    [['--profile', 'x', 'variable', 'ls'], 'Error: No profile "x". `millrace profile ls` lists the profiles.\n'],
  ])('%j', async (argv, message) => {
    const { code, stdout, stderr } = await runCli(argv)
    expect(stderr).toContain(message)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })

  test('a group without a command shows its help', async () => {
    expect(await runCli(['variable'])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Usage: millrace variable') })
  })

  test('control characters of an argument do not reach the terminal', async () => {
    expect((await runCli(['x\u001b[2J'])).stderr).toContain("unknown command 'x�[2J'")
  })
})

test('starts the server without a command, with the flags of `server start`', () => {
  expect(expandArguments([])).toEqual(['server', 'start'])
  expect(expandArguments(['--port', '1', '--no-ui'])).toEqual(['server', 'start', '--port', '1', '--no-ui'])
  expect(expandArguments(['--database=sqlite::memory:'])).toEqual(['server', 'start', '--database=sqlite::memory:'])
  expect(expandArguments(['--server', 'x'])).toEqual(['--server', 'x'])
})

test('accepts global options before and after the command', async () => {
  await server.millrace('variable', 'set', 'frame', '1')
  const before = await runCli(['-o', 'json', '--server', server.url, 'variable', 'get', 'frame'])
  const after = await runCli(['variable', 'get', 'frame', '--server', server.url, '-ojson'])
  expect(JSON.parse(before.stdout)).toMatchObject({ name: 'frame', value: 1 })
  expect(after).toEqual(before)
})

describe('errors', () => {
  test('no server: names the address and what to do', async () => {
    const url = `http://127.0.0.1:${await freePort()}/api`
    expect(await runCli(['--server', url, 'variable', 'ls'])).toEqual({
      code: 24,
      stdout: '',
      stderr: `Error: Cannot reach ${url} (ECONNREFUSED). Start a server with \`millrace server start\`, or name another one with --server or MILLRACE_API_URL.\n`,
    })
  })

  test.each([
    ['retention', 'show'],
    ['db', 'size'],
    ['server', 'services', 'ls'],
    ['server', 'status'],
  ])('%s %s %s ends with 24 without a server', async (...argv) => {
    const url = `http://127.0.0.1:${await freePort()}/api`
    const { code, stdout, stderr } = await runCli(['--server', url, ...argv.filter(Boolean)])
    expect({ code, stdout, stderr }).toEqual({ code: 24, stdout: '', stderr: expect.stringContaining(`Error: Cannot reach ${url}`) })
  })

  test('an unknown item ends with 25', async () => {
    expect(await server.millrace('variable', 'get', 'nope')).toMatchObject({
      code: 25,
      stdout: '',
      stderr: 'Error: Variable "nope" not found. `millrace variable ls` shows what there is.\n',
    })
  })

  test('a defect shows one line, and its stack with MILLRACE_DEBUG', async () => {
    // The response has the wrong shape.
    const odd = createServer((_request, response) => void response.end('{"a": 1}')).listen(0, '127.0.0.1')
    await once(odd, 'listening')
    const argv = ['--server', `http://127.0.0.1:${(odd.address() as AddressInfo).port}/api`, 'variable', 'ls']
    try {
      const plain = await runCli(argv)
      expect(plain).toMatchObject({ code: 1, stdout: '' })
      expect(plain.stderr).toMatch(/^Error: .*\nThis is a defect of Millrace\. MILLRACE_DEBUG=1 shows where it happened\.\n$/)
      expect((await runCli(argv, { env: { MILLRACE_DEBUG: '1' } })).stderr).toMatch(/\n {4}at /)
    } finally {
      odd.close()
    }
  })
})

describe('a server with a password', () => {
  const guarded = cliServer({ MILLRACE_SERVER_API_AUTH_STRING: 'admin:secret' })

  test('rejects missing and wrong credentials with 27', async () => {
    for (const env of [{ MILLRACE_API_AUTH_STRING: '' }, { MILLRACE_API_AUTH_STRING: 'admin:topsecret' }]) {
      const { code, stderr } = await runCli(['--server', guarded.url, 'variable', 'ls'], { env })
      expect({ code, stderr }).toEqual({ code: 27, stderr: expect.stringContaining(`Error: ${guarded.url} rejected the credentials`) })
      expect(stderr).not.toContain('topsecret')
    }
  })

  test.each([
    ['retention', 'show'],
    ['db', 'size'],
    ['server', 'services', 'ls'],
  ])('%s %s %s ends with 27 without credentials', async (...argv) => {
    expect(await guarded.millrace(...argv.filter(Boolean))).toMatchObject({ code: 27, stdout: '' })
  })

  test('accepts the password of the environment', async () => {
    const env = { MILLRACE_API_AUTH_STRING: 'admin:secret', MILLRACE_API_URL: guarded.url }
    expect(await runCli(['variable', 'ls'], { env })).toMatchObject({ code: 0, stderr: 'No variables.\n' })
  })
})

describe('the process', () => {
  const silent = createServer(() => undefined)
  beforeAll(async () => {
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
  })
  afterAll(() => {
    silent.closeAllConnections()
    silent.close()
  })

  test('prints its version', () => {
    const { stdout, status } = spawnSync(process.execPath, [launcher, '--version'], { encoding: 'utf8' })
    expect({ stdout, status }).toEqual({ stdout: '0.1.0\n', status: 0 })
  })

  test('ends with 130 on Ctrl-C while it waits for a response', async () => {
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/api`
    const child = spawn(process.execPath, [launcher, '--server', url, 'variable', 'ls'], { stdio: ['ignore', 'pipe', 'pipe'] })
    await once(silent, 'request')
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
  })

  test('ends without an error when the reader closes the pipe', () => {
    const { stdout, stderr, status } = spawnSync('bash', ['-c', `set -o pipefail; "${process.execPath}" "${launcher}" --help | head -c 10`], {
      encoding: 'utf8',
    })
    expect({ stdout, stderr, status }).toEqual({ stdout: 'Usage: mil', stderr: '', status: 0 })
  })
})
