import type { TaskRun } from '@millrace/contracts/task-run.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { cliServer, runCli } from './cli-test.ts'
import { anyId, clientOf, freezeClock, lines, moveToPresent, type Scene, seedScene, withoutIds } from './seed.ts'

freezeClock()
const server = cliServer()
let scene: Scene
let load: TaskRun
let clean: TaskRun
beforeAll(async () => {
  scene = await seedScene(server)
  const client = clientOf(server)
  server.app.clock.set(Date.parse('2030-01-01T00:50:00Z') * 1000)
  load = await client.taskRuns.create({
    name: 'load-0',
    flow_run_id: scene.completed.id,
    task_key: 'load',
    dynamic_key: '0',
    tags: ['io'],
    cache_key: 'rows-100',
    task_inputs: { rows: [{ input_type: 'parameter', name: 'rows' }], nothing: [] },
    empirical_policy: { retries: 2 },
  })
  await client.taskRuns.setState(load.id, { state: { type: 'RUNNING' }, force: true })
  await client.logs.create([
    { name: 'task', level: 20, message: 'Loaded 100 rows', timestamp: '2030-01-01T00:00:20Z', flow_run_id: scene.completed.id, task_run_id: load.id },
    { name: 'flow', level: 20, message: 'Not of the task', timestamp: '2030-01-01T00:00:21Z', flow_run_id: scene.completed.id },
  ])
  server.app.clock.advance(3.5)
  await client.taskRuns.setState(load.id, { state: { type: 'FAILED', message: 'Timeout', name: 'TimedOut' }, force: true })
  clean = await client.taskRuns.create({
    name: 'clean-0',
    flow_run_id: scene.running.id,
    task_key: 'clean',
    dynamic_key: '0',
    state: { type: 'PENDING' },
  })
  load = await client.taskRuns.read(load.id)
  moveToPresent(server)
})

const names = (runs: TaskRun[]) => runs.map(({ name }) => name)

describe('task-run ls', () => {
  test('lists task runs, newest first', async () => {
    const { code, stdout, stderr } = await server.millrace('task-run', 'ls')
    expect({ code, stdout: withoutIds(stdout), stderr }).toEqual({
      code: 0,
      stdout: lines(
        'ID                                    NAME     FLOW RUN   STATE     STARTED     DURATION',
        `${anyId}  clean-0  busy-bee   Pending   due 9m ago`,
        `${anyId}  load-0   calm-lake  TimedOut  10m ago     3.5s`,
      ),
      stderr: '',
    })
  })

  test('leaves out columns on a narrow terminal', async () => {
    expect(withoutIds((await runCli(['--server', server.url, 'task-run', 'ls', '--flow-run', 'calm-lake'], { columns: 60 })).stdout)).toBe(
      lines('ID                                    NAME    STATE', `${anyId}  load-0  TimedOut`),
    )
  })

  test.each([
    [['--state', 'Failed'], ['load-0']],
    [
      ['--state', 'timedout', 'pending'],
      ['clean-0', 'load-0'],
    ],
    [['--flow', 'report'], ['clean-0']],
    [['--flow-run', 'busy-bee'], ['clean-0']],
    [['--tag', 'io'], ['load-0']],
    [['--name', 'clean'], ['clean-0']],
    [['--since', '2030-01-01T02:00:00Z'], []],
    [
      ['--sort', 'oldest'],
      ['load-0', 'clean-0'],
    ],
    [['--limit', '1'], ['clean-0']],
  ])('filters and sorts by %j', async (options, expected) => {
    expect(names(await server.json('task-run', 'ls', ...options))).toEqual(expected)
  })

  test('prints the objects of the API as JSON', async () => {
    expect(await server.json('task-run', 'ls', '--name', 'load')).toEqual([load])
  })

  test('rejects an unknown flow run, and notes that nothing matches', async () => {
    expect(await server.millrace('task-run', 'ls', '--flow-run', 'none')).toEqual({
      code: 25,
      stdout: '',
      stderr: 'Error: Flow run "none" not found. `millrace flow-run ls` shows what there is.\n',
    })
    expect(await server.millrace('task-run', 'ls', '--state', 'Crashed')).toEqual({ code: 0, stdout: '', stderr: 'No task runs.\n' })
  })
})

describe('task-run inspect', () => {
  test('shows the fields that have a value', async () => {
    expect(withoutIds((await server.millrace('task-run', 'inspect', 'load-0')).stdout)).toBe(
      lines(
        'Name       load-0',
        `ID         ${anyId}`,
        'State      TimedOut',
        'Message    Timeout',
        'Task       load',
        `Flow run   calm-lake (${anyId})`,
        'Tags       io',
        'Created    2030-01-01T00:50:00Z (10m ago)',
        'Started    2030-01-01T00:50:00Z (10m ago)',
        'Ended      2030-01-01T00:50:03Z (9m ago)',
        'Duration   3.5s',
        'Attempts   1',
        'Retries    2',
        'Cache key  rows-100',
        '',
        'Inputs',
        '  rows  {"input_type":"parameter","name":"rows"}',
      ),
    )
  })

  test('prints the object of the API and its verdicts as JSON', async () => {
    const { verdicts, flow_run_name, ...run } = await server.json('task-run', 'inspect', load.id)
    expect({ verdicts, flow_run_name, run }).toEqual({ verdicts: [], flow_run_name: 'calm-lake', run: load })
  })

  test('rejects an unknown and an ambiguous name', async () => {
    expect(await server.millrace('task-run', 'inspect', anyId)).toEqual({
      code: 25,
      stdout: '',
      stderr: `Error: Task run "${anyId}" not found. \`millrace task-run ls\` shows what there is.\n`,
    })
    const twin = await clientOf(server).taskRuns.create({ name: 'clean-0', flow_run_id: scene.late.id, task_key: 'clean', dynamic_key: '0' })
    const { code, stderr } = await server.millrace('task-run', 'inspect', 'clean-0')
    expect({ code, stderr: withoutIds(stderr) }).toEqual({
      code: 26,
      stderr: lines(
        'Error: Several task runs have the name "clean-0". Use an id:',
        '  ID                                    CREATED  STATE',
        `  ${anyId}  9m ago   Pending`,
        `  ${anyId}  now      Pending`,
      ),
    })
    await clientOf(server).taskRuns.delete(twin.id)
  })
})

describe('task-run logs', () => {
  test('prints the logs of the task run only', async () => {
    expect(await server.millrace('task-run', 'logs', 'load-0', '-t')).toEqual({
      code: 0,
      stdout: '2030-01-01T00:00:20.000Z  INFO      Loaded 100 rows\n',
      stderr: '',
    })
    expect(await server.json('task-run', 'logs', load.id)).toMatchObject([{ message: 'Loaded 100 rows', task_run_id: load.id }])
  })

  test('follows until the task run ends', async () => {
    expect((await server.millrace('task-run', 'logs', 'load-0', '-f')).stdout).toBe('INFO      Loaded 100 rows\n')
    expect((await server.millrace('task-run', 'logs', clean.id)).stdout).toBe('')
  })
})
