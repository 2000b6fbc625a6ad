import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { newFolder } from '../../server/test/databases.ts'
import { cliServer, eventually, runCli } from './cli-test.ts'
import { anyId, clientOf, freezeClock, lines, type Scene, seedScene, withoutIds } from './seed.ts'

freezeClock()
const server = cliServer()
let scene: Scene
const client = () => clientOf(server)
beforeAll(async () => {
  scene = await seedScene(server)
})

const parametersOfDeployment = lines(
  'Parameters of the deployment:',
  '  rows    100 (integer)',
  '  region  default "eu" (string)',
  '  source  optional (string)',
)

describe('deployment run', () => {
  test('creates a run and prints its id and page', async () => {
    const { code, stdout, stderr } = await server.millrace('deployment', 'run', 'etl/prod', '--name', 'new-newt')
    expect({ code, stdout: withoutIds(stdout), stderr }).toEqual({
      code: 0,
      stdout: lines(
        'Created flow run "new-newt" of etl/prod.',
        `ID      ${anyId}`,
        'Starts  2030-01-01T01:00:00Z (now)',
        `URL     http://127.0.0.1:4200/runs/flow-run/${anyId}`,
      ),
      stderr: '',
    })
  })

  test('passes all options on', async () => {
    const run = await server.json(
      ...['deployment', 'run', 'prod', '-p', 'rows=7', '--param', 'source=a=b', '--tag', 'x', 'y', '--start-in', '1h30m'],
      ...['--job-variable', 'image="a:1"', '--queue', 'fast', '--idempotency-key', 'once'],
    )
    expect(run).toMatchObject({
      parameters: { rows: 7, source: 'a=b' },
      tags: ['prod', 'x', 'y'],
      expected_start_time: '2030-01-01T02:30:00Z',
      job_variables: { image: 'a:1' },
      work_queue_name: 'fast',
      idempotency_key: 'once',
      state: { type: 'SCHEDULED' },
    })
    const again = await server.json('deployment', 'run', scene.prod.id, '--idempotency-key', 'once')
    expect(again.id).toBe(run.id)
    expect(await server.json('deployment', 'run', 'prod', '--start-at', '2030-02-01T12:00:00+02:00')).toMatchObject({
      expected_start_time: '2030-02-01T10:00:00Z',
    })
  })

  test('reads parameters from JSON, a file and stdin, which --param overrides', async () => {
    const file = join(newFolder(), 'params.json')
    writeFileSync(file, '{"rows": 12345678901234567890, "region": "us"}')
    const readParameters = async (id: string) => (await server.app.call('GET', `/flow_runs/${id}`)).body.parameters
    const { stdout } = await server.millrace('deployment', 'run', 'prod', '--params', `@${file}`, '-p', 'region=de', '-o', 'json')
    // Digits beyond 2^53 are kept.
    expect(stdout).toContain('"rows": 12345678901234567890,\n    "region": "de"')
    const created = await server.json('deployment', 'run', 'prod', '--params', '{"rows": 3}')
    expect(await readParameters(created.id)).toEqual({ rows: 3 })
    const piped = await runCli(['--server', server.url, 'deployment', 'run', 'prod', '--params', '-', '-o', 'json'], { stdin: '{"source": "ä"}' })
    expect(JSON.parse(piped.stdout).parameters).toEqual({ rows: 100, source: 'ä' })
  })

  test('shows every invalid parameter', async () => {
    expect(await server.millrace('deployment', 'run', 'prod', '-p', 'rows=many', '-p', 'source=1')).toEqual({
      code: 1,
      stdout: '',
      stderr: `Error: Invalid parameters for etl/prod:\n  rows: must be integer\n  source: does not match any allowed schema\n${parametersOfDeployment}`,
    })
  })

  test('rejects parameters that the deployment does not have', async () => {
    expect(await server.millrace('deployment', 'run', 'prod', '-p', 'row=1')).toEqual({
      code: 1,
      stdout: '',
      stderr: `Error: Invalid parameters for etl/prod:\n  row: unknown parameter\n${parametersOfDeployment}`,
    })
  })

  test.each([
    [['--params', '[1]'], 'Error: --params is not a JSON object such as {"rows": 10}\n'],
    [['--params', '{'], 'Error: --params is not JSON: '],
    [['--params', '@/nonexistent'], 'Error: Cannot read /nonexistent (ENOENT)\n'],
    [['-p', 'rows'], "Error: option '-p, --param <key=value>' argument 'rows' is invalid. It is not KEY=VALUE.\n"],
    [
      ['--start-in', 'soon'],
      "Error: option '--start-in <duration>' argument 'soon' is invalid. It is not a duration such as 30s, 5m, 2h, 1d or PT1H.\n",
    ],
    [['--start-in', '5m', '--start-at', '2030-01-01T00:00:00Z'], 'Error: Give either --start-in or --start-at.\n'],
    [['--logs'], 'Error: --logs needs --watch.\n'],
  ])('rejects %j', async (options, stderr) => {
    const result = await server.millrace('deployment', 'run', 'prod', ...options)
    expect(result).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(stderr) })
  })

  test('reports another error of the server as it is', async () => {
    await client().deployments.create({ name: 'served', flow_id: scene.report.id })
    const { code, stderr } = await server.millrace('deployment', 'run', 'served', '--queue', 'fast')
    expect({ code, stderr: withoutIds(stderr) }).toEqual({
      code: 1,
      stderr: `Error: Cannot use work queue "fast": the deployment has no work pool. (request ${anyId})\n`,
    })
    expect((await server.millrace('deployment', 'run', 'none')).code).toBe(25)
  })

  test('follows the run with --watch', async () => {
    let stdout = ''
    const argv = ['--server', server.url, 'deployment', 'run', 'prod', '--name', 'watched', '--watch', '--logs']
    const result = runCli(argv, { onWrite: (_stream, text) => (stdout += text) })
    await eventually(() => expect(stdout).toContain('Scheduled'))
    const [run] = await client().flowRuns.list({ flow_runs: { name: { any_: ['watched'] } } })
    const timestamp = '2030-01-01T01:00:00Z'
    await client().logs.create([{ name: 'flow', level: 20, message: 'Hello', timestamp, flow_run_id: run!.id }])
    await eventually(() => expect(stdout).toContain('Hello'))
    await client().flowRuns.setState(run!.id, { state: { type: 'CANCELLED' }, force: true })
    const ended = await result
    expect({ ...ended, stdout: withoutIds(ended.stdout) }).toEqual({
      code: 28,
      stdout: lines(
        'Created flow run "watched" of etl/prod.',
        `ID      ${anyId}`,
        'Starts  2030-01-01T01:00:00Z (now)',
        `URL     http://127.0.0.1:4200/runs/flow-run/${anyId}`,
        '2030-01-01T01:00:00Z  Scheduled',
        '2030-01-01T01:00:00.000Z  INFO      Hello',
        '2030-01-01T01:00:00Z  Cancelled',
        'Flow run "watched" ended in state Cancelled after 0s.',
      ),
      stderr: '',
    })
  })

  test('prints the ended run as JSON with --watch', async () => {
    const result = runCli(['--server', server.url, 'deployment', 'run', 'prod', '--name', 'json-jay', '--watch', '-o', 'json'])
    const run = await eventually(async () => {
      const [found] = await client().flowRuns.list({ flow_runs: { name: { any_: ['json-jay'] } } })
      return found!.id
    })
    await client().flowRuns.setState(run, { state: { type: 'COMPLETED' }, force: true })
    const { code, stdout, stderr } = await result
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ id: run, state_type: 'COMPLETED' })
  })
})
