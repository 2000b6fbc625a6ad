import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type CliResult, cliServer, eventually, runCli } from './cli-test.ts'
import { anyId, clientOf, freezeClock, lines, type Scene, seedRun, seedScene, withoutIds } from './seed.ts'

freezeClock()
const server = cliServer()
let scene: Scene
beforeAll(async () => {
  scene = await seedScene(server)
})

const client = () => clientOf(server)

async function newRun(name: string, ...states: StateType[]): Promise<FlowRunResponse> {
  setClock('00:20:00')
  return seedRun(server, scene.report, { name, states: states.map((type) => [type] as const) })
}

const setClock = (time: string) => server.app.clock.set(Date.parse(`2030-01-01T${time}Z`) * 1000)

/** The time is in seconds after 2030-01-01T00:00:00Z. */
const timestamp = (second: number) => new Date(Date.parse('2030-01-01T00:00:00Z') + second * 1000).toISOString()

const log = ({ id }: FlowRunResponse, second: number, message: string, level = 20) =>
  client().logs.create([{ name: 'flow', level, message, timestamp: timestamp(second), flow_run_id: id }])

/** Ends long before the present of the command line, so that it does not wait for last logs. */
const end = ({ id }: FlowRunResponse, type: StateType, message?: string) => {
  setClock('00:30:00.5')
  return client().flowRuns.setState(id, { state: { type, ...(message && { message }) }, force: true })
}

/** A command that runs while the test goes on. */
function startCli(argv: readonly string[], options: { columns?: number; signal?: AbortSignal } = {}) {
  const seen = { stdout: '', stderr: '' }
  const result = runCli(['--server', server.url, ...argv], { ...options, onWrite: (name, text) => (seen[name] += text) })
  return { seen, result: result as Promise<CliResult> }
}

describe('flow-run logs', () => {
  let run: FlowRunResponse
  beforeAll(async () => {
    run = await newRun('logged-loon', 'RUNNING')
    await client().logs.create([
      { name: 'flow', level: 20, message: 'Loading 3 rows', timestamp: timestamp(10), flow_run_id: run.id },
      { name: 'flow', level: 10, message: 'First row', timestamp: timestamp(11.5), flow_run_id: run.id },
      { name: 'flow', level: 30, message: 'Slow\nvery slow', timestamp: timestamp(12.25), flow_run_id: run.id },
      { name: 'flow', level: 40, message: '\u001b[31mDisk\u001b[0m full\u0007', timestamp: timestamp(13), flow_run_id: run.id },
    ])
    await end(run, 'FAILED')
  })

  test('prints all logs, oldest first', async () => {
    expect(await server.millrace('flow-run', 'logs', 'logged-loon')).toEqual({
      code: 0,
      stdout: lines('INFO      Loading 3 rows', 'DEBUG     First row', 'WARNING   Slow', 'very slow', 'ERROR     Disk full\ufffd'),
      stderr: '',
    })
  })

  test('prints times, a level and the last logs', async () => {
    expect((await server.millrace('flow-run', 'logs', run.id, '--timestamps', '--level', 'info', '--tail', '2')).stdout).toBe(
      lines('2030-01-01T00:00:12.250Z  WARNING   Slow', 'very slow', '2030-01-01T00:00:13.000Z  ERROR     Disk full\ufffd'),
    )
    expect((await server.millrace('flow-run', 'logs', run.id, '--since', timestamp(12.5))).stdout).toBe(lines('ERROR     Disk full\ufffd'))
    expect((await server.millrace('flow-run', 'logs', run.id, '--tail', '0')).stdout).toBe('')
  })

  test('prints the objects of the API as JSON', async () => {
    const logs = await server.json('flow-run', 'logs', 'logged-loon')
    expect(logs).toEqual(await client().logs.list({ logs: { flow_run_id: { any_: [run.id] } } }))
    expect(await server.json('flow-run', 'logs', 'logged-loon', '--tail', '1')).toEqual(logs.slice(-1))
  })

  test('prints one document per log with --follow', async () => {
    const { stdout } = await server.millrace('flow-run', 'logs', 'logged-loon', '-f', '-o', 'json')
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).level),
    ).toEqual([20, 10, 30, 40])
    expect((await server.millrace('flow-run', 'logs', 'logged-loon', '-f', '-o', 'yaml', '--tail', '1')).stdout).toMatch(/^---\nid: .*\ncreated: /)
  })

  test('reads more logs than a page has', async () => {
    const many = await newRun('many-logs')
    const atOnce = Array.from({ length: 450 }, (_, index) => ({
      name: 'flow',
      level: 20,
      message: `line ${index}`,
      // More than a page of logs has the same time.
      timestamp: timestamp(index < 100 ? index : 100),
      flow_run_id: many.id,
    }))
    await client().logs.create(atOnce)
    const messages = (await server.millrace('flow-run', 'logs', 'many-logs')).stdout.trimEnd().split('\n')
    expect(messages).toEqual(atOnce.map(({ message }) => `INFO      ${message}`))
    const last = (await server.millrace('flow-run', 'logs', 'many-logs', '--tail', '300')).stdout.trimEnd().split('\n')
    expect(last).toEqual(messages.slice(-300))
  })

  test('follows a run until it ends, without gaps and duplicates', async () => {
    const followed = await newRun('followed-fly', 'RUNNING')
    await log(followed, 1, 'old')
    await log(followed, 2, 'one')
    const { seen, result } = startCli(['flow-run', 'logs', 'followed-fly', '-f', '--tail', '1'])
    await eventually(() => expect(seen.stdout).toContain('one'))
    await log(followed, 4, 'three')
    await eventually(() => expect(seen.stdout).toContain('three'))
    // Arrives after a later one, and has the time of another one.
    await log(followed, 3, 'two')
    await log(followed, 4, 'four')
    await eventually(() => expect(seen.stdout).toContain('four'))
    await log(followed, 5, 'five')
    await end(followed, 'COMPLETED')
    expect(await result).toEqual({
      code: 0,
      stdout: lines('INFO      one', 'INFO      three', 'INFO      two', 'INFO      four', 'INFO      five'),
      stderr: '',
    })
  })

  test('ends with 130 on Ctrl-C', async () => {
    const endless = await newRun('endless-elk', 'RUNNING')
    await log(endless, 1, 'started')
    const interrupt = new AbortController()
    const { seen, result } = startCli(['flow-run', 'logs', 'endless-elk', '-f'], { signal: interrupt.signal })
    await eventually(() => expect(seen.stdout).toContain('started'))
    interrupt.abort()
    expect((await result).code).toBe(130)
  })

  test('rejects a level that does not exist', async () => {
    const { code, stderr } = await server.millrace('flow-run', 'logs', 'logged-loon', '--level', 'loud')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: lines(
        "Error: option '--level <level>' argument 'loud' is invalid. It is not one of trace, debug, info, warning, error, critical, or a number.",
        'Usage: millrace flow-run logs [options] <run>',
        'Add --help for details.',
      ),
    })
  })
})

describe('flow-run watch', () => {
  test('prints the states of a run until it completes', async () => {
    const run = await newRun('watched-wolf', 'PENDING')
    const { seen, result } = startCli(['flow-run', 'watch', 'watched-wolf'])
    await eventually(() => expect(seen.stdout).toContain('Pending'))
    setClock('00:29:00')
    await client().flowRuns.setState(run.id, { state: { type: 'RUNNING' }, force: true })
    await end(run, 'COMPLETED', 'All rows loaded')
    expect(await result).toEqual({
      code: 0,
      stdout: lines(
        '2030-01-01T00:20:00Z  Scheduled',
        '2030-01-01T00:20:00Z  Pending',
        '2030-01-01T00:29:00Z  Running',
        '2030-01-01T00:30:00Z  Completed  All rows loaded',
        'Flow run "watched-wolf" ended in state Completed after 1m.',
      ),
      stderr: '',
    })
  })

  test('returns 28 for a run that has failed', async () => {
    expect(await server.millrace('flow-run', 'watch', 'bold-fox')).toEqual({
      code: 28,
      stdout: lines(
        '2030-01-01T00:01:05Z  Scheduled',
        '2030-01-01T00:01:05Z  Pending',
        '2030-01-01T00:02:05Z  Running',
        '2030-01-01T00:02:07Z  Failed  Disk full',
        'Flow run "bold-fox" ended in state Failed after 2.5s.',
      ),
      stderr: '',
    })
  })

  test('prints the run as JSON after its end', async () => {
    const { code, stdout, stderr } = await server.millrace('flow-run', 'watch', 'bold-fox', '-o', 'json')
    expect({ code, stderr }).toEqual({ code: 28, stderr: '' })
    expect(JSON.parse(stdout)).toEqual(await client().flowRuns.read(scene.failed.id))
    // Logs would break the JSON.
    const withLogs = await server.millrace('flow-run', 'watch', 'logged-loon', '--logs', '-o', 'json')
    expect(JSON.parse(withLogs.stdout)).toMatchObject({ name: 'logged-loon' })
    expect(withLogs.stderr).toContain('Loading 3 rows')
  })

  test('shows the state on the last line of a terminal, below the logs', async () => {
    const run = await newRun('live-lark', 'RUNNING')
    await log(run, 3, 'Loading')
    const { seen, result } = startCli(['flow-run', 'watch', 'live-lark', '--logs'], { columns: 80 })
    await eventually(() => expect(seen.stdout).toContain('Loading'))
    await end(run, 'CRASHED')
    const { code, stdout, stderr } = await result
    expect({ code, stdout }).toEqual({
      code: 28,
      stdout: lines(
        '2030-01-01T00:20:00Z  Scheduled',
        '2030-01-01T00:20:00Z  Running',
        '2030-01-01T00:00:03.000Z  INFO      Loading',
        '2030-01-01T00:30:00Z  Crashed',
        'Flow run "live-lark" ended in state Crashed after 10m.',
      ),
    })
    // The seconds depend on how busy the machine is.
    const drawn = stderr.split('\r\u001b[2K').map((line) => line.replace(/(?<=40m) \d+s$/, ''))
    expect(new Set(drawn)).toEqual(new Set(['', 'live-lark  Running  40m', 'live-lark  Crashed  10m']))
    expect(drawn.at(-1)).toBe('')
  })

  test('rejects an unknown run', async () => {
    expect(await server.millrace('flow-run', 'watch', anyId)).toEqual({
      code: 25,
      stdout: '',
      stderr: `Error: Flow run "${anyId}" not found. \`millrace flow-run ls\` shows what there is.\n`,
    })
    expect(withoutIds((await server.millrace('flow-run', 'logs', 'none')).stderr)).toBe(
      'Error: Flow run "none" not found. `millrace flow-run ls` shows what there is.\n',
    )
  })
})
