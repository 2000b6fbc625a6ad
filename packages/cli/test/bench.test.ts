import { beforeAll, describe, expect, test } from 'vitest'
import { cliServer, runCli } from './cli-test.ts'
import { screen, setClockMinutesAgo } from './readable-output.ts'

const server = cliServer()
setClockMinutesAgo(server, 0)

const quick = ['--seconds', '0.1', '--users', '2', '--runs', '30']
const nouns = ['flows', 'flow_runs', 'deployments', 'work_pools']
const countAll = async () => Promise.all(nouns.map(async (noun) => (await server.app.call('POST', `/${noun}/count`, {})).body))

test('measures the chosen workloads of an empty server without asking, and removes its data', async () => {
  const { code, stdout, stderr } = await server.millrace('bench', '--only', 'lifecycle', 'filter.state', ...quick)
  expect([code, stderr]).toEqual([0, ''])
  const [heading, ...rows] = stdout.trimEnd().split('\n')
  expect(heading).toBe('WORKLOAD      USERS  PER SECOND  UNIT   P50 MS  P95 MS  P99 MS  ERRORS')
  expect(rows.map((row) => row.split(/ +/)[0])).toEqual(['lifecycle', 'filter.state'])
  expect(await countAll()).toEqual([0, 0, 0, 0])
})

test('prints a report as JSON, for the server that --url names', async () => {
  const { code, stdout } = await runCli(['bench', '--url', server.url.replace(/\/api$/, ''), '--only', 'health', ...quick, '-o', 'json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    url: server.url,
    measured: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    runs: 30,
    seconds: 0.1,
    users: 2,
    results: [{ name: 'health', unit: 'requests', users: 2, errors: 0, latencyMs: { p50: expect.any(Number) } }],
  })
})

test('rejects unknown workloads and numbers', async () => {
  expect(screen(await server.millrace('bench', '--only', 'lifecycle', 'sleep'))).toMatch(
    /^exit code 2\nError: --only: no workload is named sleep\. There are health, client\.run, /,
  )
  expect(screen(await server.millrace('bench', '--seconds', '0'))).toContain('It is not a number above 0, up to 3600.')
  expect(screen(await server.millrace('bench', '--url', 'ftp://host'))).toBe(
    'exit code 2\nError: --url: "ftp://host" is not a URL such as http://127.0.0.1:<port>/api',
  )
})

test('says when the server cannot be reached', async () => {
  const { code, stderr } = await runCli(['bench', '--url', 'http://127.0.0.1:9', ...quick])
  expect(code).toBe(24)
  expect(stderr).toContain('Cannot reach http://127.0.0.1:9/api')
})

describe('a server with other data', () => {
  beforeAll(async () => void (await server.app.call('POST', '/flows/', { name: 'orders' })))

  test('needs --yes without a terminal', async () => {
    expect(screen(await server.millrace('bench', '--only', 'health', ...quick))).toMatchInlineSnapshot(`
      "exit code 2
      Error: The server at http://127.0.0.1:<port>/api holds 1 flows, 0 deployments and 0 flow runs, and the benchmark puts it under full load. Measure it? Confirm with --yes: there is no terminal to ask."
    `)
    expect((await server.millrace('bench', '--yes', '--only', 'health', ...quick)).code).toBe(0)
    expect(await countAll()).toEqual([1, 0, 0, 0])
  })

  test('removes its data after Ctrl-C', async () => {
    const interrupt = new AbortController()
    const result = await runCli(['--server', server.url, 'bench', '--yes', '--only', 'health', '--seconds', '600', '--runs', '5'], {
      columns: 120,
      signal: interrupt.signal,
      onWrite: (_, text) => text.includes('1/1 health') && interrupt.abort(),
    })
    expect(result.code).toBe(130)
    expect(await countAll()).toEqual([1, 0, 0, 0])
  })
})

describe('a server with credentials', () => {
  const secured = cliServer({ MILLRACE_SERVER_API_AUTH_STRING: 'ada:engine', MILLRACE_SERVER_API_CSRF_PROTECTION_ENABLED: 'true' })

  test('measures requests and WebSockets with the credentials of the environment', async () => {
    const env = { MILLRACE_API_AUTH_STRING: 'ada:engine' }
    secured.app.clock.set(Date.now() * 1000)
    const argv = ['--server', secured.url, 'bench', '--only', 'poll.idle', 'sockets.fan_out_10', ...quick, '-o', 'json']
    const { code, stdout, stderr } = await runCli(argv, { env })
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout).results.map(({ name }: { name: string }) => name)).toEqual(['poll.idle', 'sockets.fan_out_10'])
    expect((await runCli(argv)).code).toBe(27)
  })
})
