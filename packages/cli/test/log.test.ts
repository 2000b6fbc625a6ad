import { beforeAll, describe, expect, test } from 'vitest'
import { cliServer, eventually, runCli } from './cli-test.ts'
import { anyId, clientOf, freezeClock, lines, type Scene, seedScene } from './seed.ts'

freezeClock()
const server = cliServer()
let scene: Scene
const client = () => clientOf(server)
beforeAll(async () => {
  scene = await seedScene(server)
  const log = (minute: number, level: number, message: string, flow_run_id: string | null) => ({
    name: 'flow',
    level,
    message,
    timestamp: `2030-01-01T00:${String(minute).padStart(2, '0')}:00Z`,
    flow_run_id,
  })
  await client().logs.create([
    log(10, 20, 'Connected', scene.completed.id),
    log(20, 40, 'Connection refused', scene.failed.id),
    log(30, 30, 'Retry of the connection', scene.failed.id),
    log(40, 20, 'Worker started', null),
    log(50, 20, 'Run deleted since', anyId),
  ])
})

const allLogs = lines(
  '2030-01-01T00:10:00.000Z  INFO      calm-lake  Connected',
  '2030-01-01T00:20:00.000Z  ERROR     bold-fox  Connection refused',
  '2030-01-01T00:30:00.000Z  WARNING   bold-fox  Retry of the connection',
  '2030-01-01T00:40:00.000Z  INFO      -  Worker started',
  `2030-01-01T00:50:00.000Z  INFO      ${anyId}  Run deleted since`,
)

describe('log ls', () => {
  test('lists the logs of all runs with their names, newest last', async () => {
    expect(await server.millrace('log', 'ls')).toEqual({ code: 0, stdout: allLogs, stderr: '' })
    expect((await runCli(['--server', server.url, 'log', 'ls', '--limit', '1'], { columns: 40 })).stdout).toBe(
      lines(allLogs.trimEnd().split('\n').at(-1)!),
    )
  })

  test.each([
    [
      ['--level', 'warning'],
      ['Connection refused', 'Retry of the connection'],
    ],
    [['--text', 'connection -retry'], ['Connection refused']],
    [['--text', '"of the"'], ['Retry of the connection']],
    [
      ['--since', '25m'],
      ['Worker started', 'Run deleted since'],
    ],
    [
      ['--flow-run', 'calm-lake', 'bold-fox', '--limit', '2'],
      ['Connection refused', 'Retry of the connection'],
    ],
  ])('searches by %j', async (options, expected) => {
    const logs = await server.json('log', 'ls', ...options)
    expect(logs.map(({ message }: { message: string }) => message)).toEqual(expected)
  })

  test('notes that nothing matches, and rejects an unknown run', async () => {
    expect(await server.millrace('log', 'ls', '--text', 'nonsense')).toEqual({ code: 0, stdout: '', stderr: 'No logs.\n' })
    expect(await server.json('log', 'ls', '--text', 'nonsense')).toEqual([])
    expect(await server.millrace('log', 'ls', '--flow-run', 'none')).toEqual({
      code: 25,
      stdout: '',
      stderr: 'Error: Flow run "none" not found. `millrace flow-run ls` shows what there is.\n',
    })
    expect((await server.millrace('log', 'ls', '--task-run', 'none')).stderr).toBe(
      'Error: Task run "none" not found. `millrace task-run ls` shows what there is.\n',
    )
  })
})

describe('log tail', () => {
  const follow = (...argv: string[]) => {
    const interrupt = new AbortController()
    const seen = { stdout: '' }
    const result = runCli(['--server', server.url, 'log', 'tail', ...argv], {
      signal: interrupt.signal,
      onWrite: (_stream, text) => (seen.stdout += text),
    })
    return { interrupt, seen, result }
  }
  const write = (message: string, timestamp: string, level = 20) =>
    client().logs.create([{ name: 'flow', level, message, timestamp, flow_run_id: scene.running.id }])

  test('shows the last logs and new ones until Ctrl-C', async () => {
    const { interrupt, seen, result } = follow('--tail', '1', '--level', 'info')
    await eventually(() => expect(seen.stdout).toContain('Run deleted since'))
    await write('hidden', '2030-01-01T00:50:01Z', 10)
    await write('first', '2030-01-01T00:50:02Z')
    await eventually(() => expect(seen.stdout).toContain('first'))
    // Earlier than the newest log, as from a slower process.
    await write('second', '2030-01-01T00:50:01Z')
    await eventually(() => expect(seen.stdout).toContain('second'))
    interrupt.abort()
    expect(await result).toEqual({
      code: 130,
      stdout: lines(
        `2030-01-01T00:50:00.000Z  INFO      ${anyId}  Run deleted since`,
        '2030-01-01T00:50:02.000Z  INFO      busy-bee  first',
        '2030-01-01T00:50:01.000Z  INFO      busy-bee  second',
      ),
      stderr: '',
    })
  })

  test('prints one JSON object per line', async () => {
    const { interrupt, seen, result } = follow('--tail', '0', '--flow-run', 'busy-bee', '-o', 'json')
    await eventually(async () => {
      await write('again', '2030-01-01T00:51:00Z')
      expect(seen.stdout).toContain('again')
    })
    interrupt.abort()
    const messages = (await result).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).message)
    expect(new Set(messages)).toEqual(new Set(['again']))
  })
})
