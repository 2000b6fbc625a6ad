import type { StateType } from '@millrace/contracts/state.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { cliServer, onResponse, runCli } from './cli-test.ts'
import { anyId, clientOf, freezeClock, lines, moveToPresent, type Scene, seedRun, seedScene, withoutIds } from './seed.ts'

freezeClock()
const server = cliServer()
let scene: Scene
beforeAll(async () => {
  scene = await seedScene(server)
})

const client = () => clientOf(server)

/** A run of the flow "report" in this state. */
async function newRun(name: string, ...states: StateType[]) {
  const run = await seedRun(server, scene.report, { name, states: states.map((type) => [type] as const) })
  moveToPresent(server)
  return run
}

/** Runs of a flow of their own. */
async function newRuns(flowName: string, count: number, type?: StateType) {
  const flow = await client().flows.create({ name: flowName })
  const runs = await Promise.all(
    Array.from({ length: count }, (_, index) => seedRun(server, flow, { name: `${flowName}-${index}`, states: type ? [[type]] : [] })),
  )
  moveToPresent(server)
  return runs
}

const stateOf = async (id: string) => (await client().flowRuns.read(id)).state_name
const statesOf = async (flow: string) => {
  const runs = await client().flowRuns.list({ flows: { name: { any_: [flow] } } })
  return Object.fromEntries(
    Map.groupBy(runs, ({ state_name }) => state_name ?? '')
      .entries()
      .map(([name, found]) => [name, found.length]),
  )
}

describe('flow-run cancel', () => {
  test('cancels a run that has infrastructure through Cancelling, and another one immediately', async () => {
    const running = await newRun('quick-quail', 'RUNNING')
    const waiting = await newRun('idle-ibex')
    expect(await server.millrace('flow-run', 'cancel', 'quick-quail')).toEqual({
      code: 0,
      stdout: 'Flow run "quick-quail" is being cancelled.\n',
      stderr: '',
    })
    expect(await server.millrace('flow-run', 'cancel', waiting.id)).toEqual({ code: 0, stdout: 'Flow run "idle-ibex" is cancelled.\n', stderr: '' })
    expect((await client().flowRuns.read(running.id)).state).toMatchObject({ name: 'Cancelling', message: 'Cancelled from the command line' })
    expect(await stateOf(waiting.id)).toBe('Cancelled')
  })

  test('cancels several runs and reports those that the server rejects', async () => {
    const ended = await newRun('old-owl', 'COMPLETED')
    await newRun('red-rook', 'RUNNING')
    const { code, stdout, stderr } = await server.millrace('flow-run', 'cancel', 'red-rook', ended.id.toUpperCase(), 'red-rook')
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '1 flow run is being cancelled.\n',
      stderr: 'Flow run "old-owl" is not being cancelled: This run has already ended as Completed and cannot become Cancelling.\n',
    })
  })

  test('prints the results of the server as JSON', async () => {
    const run = await newRun('pale-puma', 'RUNNING')
    expect(await server.json('flow-run', 'cancel', 'pale-puma')).toMatchObject([
      { flow_run_id: run.id, status: 'ACCEPT', state: { type: 'CANCELLING' } },
    ])
  })

  test('lists the runs of a filter with --dry-run and changes nothing', async () => {
    await newRuns('dry', 2, 'RUNNING')
    const { code, stdout, stderr } = await server.millrace('flow-run', 'cancel', '--flow', 'dry', '--dry-run')
    expect({ code, stdout: withoutIds(stdout), stderr }).toEqual({
      code: 0,
      stdout: lines(
        'ID                                    NAME   FLOW  STATE    STARTED  DURATION',
        `${anyId}  dry-0  dry   Running  now      0s`,
        `${anyId}  dry-1  dry   Running  now      0s`,
      ),
      stderr: '',
    })
    expect(await server.json('flow-run', 'cancel', '--flow', 'dry', '--dry-run')).toMatchObject([{ name: 'dry-0' }, { name: 'dry-1' }])
    expect(await statesOf('dry')).toEqual({ Running: 2 })
  })

  test('asks before it cancels the runs of a filter', async () => {
    await newRuns('asked', 2, 'RUNNING')
    expect(await server.millrace('flow-run', 'cancel', '--flow', 'asked')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Error: Cancel 2 flow runs? Confirm with --yes: there is no terminal to ask.\n',
    })
    expect(await statesOf('asked')).toEqual({ Running: 2 })
  })

  test('cancels active runs only, in batches of 50, with progress on a terminal', async () => {
    await newRuns('many', 60, 'RUNNING')
    await client().flowRuns.setState((await client().flowRuns.list({ flow_runs: { name: { any_: ['many-0'] } } }))[0]!.id, {
      state: { type: 'COMPLETED' },
      force: true,
    })
    const { code, stdout, stderr } = await runCli(['--server', server.url, 'flow-run', 'cancel', '--flow', 'many', '--yes'], { columns: 100 })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '59 flow runs are being cancelled.\n' })
    expect(stderr.split('\r\u001b[2K')).toEqual([
      '',
      '░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 0 %  0 of 59 flow runs',
      '█████████████████████████░░░░░ 84 %  50 of 59 flow runs',
      '',
    ])
    expect(await statesOf('many')).toEqual({ Cancelling: 59, Completed: 1 })
  })

  test('notes that no run matches', async () => {
    expect(await server.millrace('flow-run', 'cancel', '--name', 'no such run', '--yes')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No matching flow runs.\n',
    })
    expect(await server.json('flow-run', 'cancel', '--name', 'no such run', '--yes')).toEqual([])
  })

  test.each([
    [[], 2, 'Error: Name the runs, or select them with a filter such as --state or --flow.\n'],
    [['busy-bee', '--late'], 2, 'Error: Name runs, or give a filter, not both.\n'],
    [['busy-bee', anyId], 25, `Error: Flow run "${anyId}" not found. \`millrace flow-run ls\` shows what there is.\n`],
    [[anyId, anyId.replaceAll('0', '1')], 25, `Error: Flow runs not found:\n  ${anyId}\n  ${anyId.replaceAll('0', '1')}\n`],
  ])('rejects %j', async (argv, code, stderr) => {
    expect(await server.millrace('flow-run', 'cancel', ...argv)).toEqual({ code, stdout: '', stderr })
  })
})

describe('flow-run retry', () => {
  test('schedules ended runs again', async () => {
    expect(await server.millrace('flow-run', 'retry', 'bold-fox')).toEqual({
      code: 0,
      stdout: 'Flow run "bold-fox" is scheduled for retry.\n',
      stderr: '',
    })
    expect((await client().flowRuns.read(scene.failed.id)).state).toMatchObject({ name: 'AwaitingRetry', message: 'Retried from the command line' })
  })

  test('retries failed and crashed runs of a filter', async () => {
    for (const type of ['FAILED', 'CRASHED', 'COMPLETED'] as const)
      await seedRun(server, scene.etl, { name: `retried-${type}`, deployment: scene.prod, tags: ['retried'], states: [[type]] })
    moveToPresent(server)
    expect(await server.millrace('flow-run', 'retry', '--tag', 'retried', '--yes')).toEqual({
      code: 0,
      stdout: '2 flow runs are scheduled for retry.\n',
      stderr: '',
    })
    const results = await server.json('flow-run', 'retry', '--tag', 'retried', '--state', 'Completed', '--yes')
    expect(results).toMatchObject([{ status: 'ACCEPT', state: { name: 'AwaitingRetry' } }])
  })

  test('rejects a run that has not ended', async () => {
    expect(await server.millrace('flow-run', 'retry', 'busy-bee')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Error: Flow run "busy-bee" is Running. Only runs that have ended can be retried.\n',
    })
  })

  test('reports the reason of the server', async () => {
    await newRun('lone-lynx', 'FAILED')
    expect(await server.millrace('flow-run', 'retry', 'lone-lynx')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Flow run "lone-lynx" is not scheduled for retry: This run has no deployment, so no worker would pick it up if it were scheduled again.\n',
    })
  })
})

describe('flow-run resume', () => {
  test('resumes a paused run', async () => {
    const run = await newRun('paused-pig', 'RUNNING', 'PAUSED')
    expect(await server.millrace('flow-run', 'resume', 'paused-pig')).toEqual({ code: 0, stdout: 'Resumed flow run "paused-pig".\n', stderr: '' })
    expect(await stateOf(run.id)).toBe('Running')
  })

  test('sends the input that the run waits for', async () => {
    const run = await newRun('asking-ape', 'RUNNING')
    await client().flowRuns.createInput(run.id, {
      key: 'ask-schema',
      value: JSON.stringify({ type: 'object', properties: { approved: { type: 'boolean' }, id: { type: 'integer' } }, required: ['approved'] }),
    })
    await client().flowRuns.setState(run.id, {
      state: { type: 'PAUSED', state_details: { run_input_keyset: { schema: 'ask-schema', response: 'ask-response' } } },
      force: true,
    })
    expect(await server.millrace('flow-run', 'resume', 'asking-ape', '--input', 'approved=maybe')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Error: Flow run "asking-ape" is not resumed: The input does not match its schema at approved: must be boolean.\n',
    })
    const result = await runCli(
      ['--server', server.url, 'flow-run', 'resume', 'asking-ape', '--inputs', '-', '--input', 'id=12345678901234567890', '-o', 'json'],
      { stdin: '{"approved": true, "id": 1}' },
    )
    expect(JSON.parse(result.stdout)).toMatchObject({ status: 'ACCEPT', state: { type: 'RUNNING' } })
    expect(await client().flowRuns.readInput(run.id, 'ask-response')).toBe('{"approved":true,"id":12345678901234567890}')
  })

  test('rejects a run that is not paused', async () => {
    expect(await server.millrace('flow-run', 'resume', 'busy-bee')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Error: Flow run "busy-bee" is not resumed: Only a paused flow run can be resumed.\n',
    })
  })
})

describe('flow-run set-state', () => {
  test('sets a state by type or name, with a message', async () => {
    const run = await newRun('moved-moth', 'RUNNING')
    expect(await server.millrace('flow-run', 'set-state', 'moved-moth', 'failed', '--message', 'Disk full')).toEqual({
      code: 0,
      stdout: 'Flow run "moved-moth" is now Failed.\n',
      stderr: '',
    })
    expect((await client().flowRuns.read(run.id)).state).toMatchObject({ type: 'FAILED', name: 'Failed', message: 'Disk full' })
    expect(await server.json('flow-run', 'set-state', 'moved-moth', 'TimedOut', '--force')).toMatchObject({
      status: 'ACCEPT',
      state: { type: 'FAILED', name: 'TimedOut' },
    })
    await server.millrace('flow-run', 'set-state', 'moved-moth', 'Completed', '--name', 'Fine', '--force')
    expect(await stateOf(run.id)).toBe('Fine')
  })

  test('reports the reason of the server', async () => {
    await newRun('still-stoat', 'RUNNING')
    expect(await server.millrace('flow-run', 'set-state', 'still-stoat', 'Pending')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Error: Flow run "still-stoat" is not set to Pending: This run is already Running, so it cannot be submitted again. Use --force to skip the rules.\n',
    })
  })

  test('rejects an unknown state', async () => {
    expect(await server.millrace('flow-run', 'set-state', 'busy-bee', 'Sleeping')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'Error: Unknown state "Sleeping". Use one of Scheduled, Pending, Running, Completed, Failed, Crashed, Paused, Cancelling, Cancelled, and --name for another name.\n',
    })
  })
})

describe('flow-run delete', () => {
  test('asks, and deletes runs by name', async () => {
    const run = await newRun('gone-gnu')
    expect(await server.millrace('flow-run', 'delete', 'gone-gnu')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Error: Delete flow run "gone-gnu"? Confirm with --yes: there is no terminal to ask.\n',
    })
    expect(await server.millrace('flow-run', 'delete', 'gone-gnu', '--yes')).toEqual({
      code: 0,
      stdout: 'Deleted flow run "gone-gnu".\n',
      stderr: '',
    })
    expect((await server.millrace('flow-run', 'delete', run.id, '--yes')).code).toBe(25)
  })

  test('deletes the runs of a filter in batches', async () => {
    const runs = await newRuns('deleted', 55, 'COMPLETED')
    const { deleted } = await server.json('flow-run', 'delete', '--flow', 'deleted', '--yes')
    expect([...deleted].sort()).toEqual(runs.map(({ id }) => id).sort())
    expect(await statesOf('deleted')).toEqual({})
  })

  test('stops before the next batch on Ctrl-C', async () => {
    await newRuns('stopped', 60)
    const interrupt = new AbortController()
    const stop = onResponse((path) => path.endsWith('/bulk_delete') && interrupt.abort())
    try {
      const argv = ['--server', server.url, 'flow-run', 'delete', '--flow', 'stopped', '--yes']
      expect(await runCli(argv, { signal: interrupt.signal })).toEqual({ code: 130, stdout: '', stderr: 'Stopped after 50 of 60 flow runs.\n' })
    } finally {
      stop()
    }
    expect(await statesOf('stopped')).toEqual({ Scheduled: 10 })
  })
})
