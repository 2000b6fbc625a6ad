import { beforeAll, describe, expect, test } from 'vitest'
import { cliServer, onResponse, runCli } from './cli-test.ts'
import { anyId, clientOf, freezeClock, lines, type Scene, seedRun, seedScene, withoutIds } from './seed.ts'

freezeClock()
const server = cliServer()
let scene: Scene
beforeAll(async () => {
  scene = await seedScene(server)
})

const onTerminal = (columns: number, ...argv: string[]) => runCli(['--server', server.url, ...argv], { columns })

const allRuns = lines(
  'ID                                    NAME        FLOW    STATE      STARTED      DURATION',
  `${anyId}  busy-bee    report  Running    47m ago      47m 21s`,
  `${anyId}  slow-snail  report  Late       due 57m ago`,
  `${anyId}  bold-fox    etl     Failed     57m ago      2.5s`,
  `${anyId}  calm-lake   etl     Completed  1h ago       1m 5s`,
)

const names = (runs: { name: string }[]) => runs.map(({ name }) => name)

describe('flow-run ls', () => {
  test('lists due runs, newest first', async () => {
    const { code, stdout, stderr } = await server.millrace('flow-run', 'ls')
    expect({ code, stdout: withoutIds(stdout), stderr }).toEqual({ code: 0, stdout: allRuns, stderr: '' })
  })

  test('prints the objects of the API as JSON and YAML', async () => {
    const runs = await server.json('flow-run', 'ls')
    expect(names(runs)).toEqual(['busy-bee', 'slow-snail', 'bold-fox', 'calm-lake'])
    expect(runs[2]).toEqual(scene.failed)
    expect((await server.millrace('flow-run', 'ls', '--name', 'fox', '-o', 'yaml')).stdout).toMatch(/^- id: .*\n {2}created: .*\n {2}updated/)
  })

  test('sends two requests: the page and the names of its flows', async () => {
    const sent: string[] = []
    const stop = onResponse((path) => sent.push(path.replace('/api', '')))
    try {
      await server.millrace('flow-run', 'ls')
      expect(sent.splice(0)).toEqual(['/flow_runs/filter', '/flows/filter'])
      await server.millrace('flow-run', 'ls', '--flow', 'etl')
      expect(sent.splice(0)).toEqual(['/flows/name/etl', '/flow_runs/filter'])
    } finally {
      stop()
    }
  })

  test('leaves out columns and shortens names on a narrow terminal', async () => {
    expect(withoutIds((await onTerminal(80, 'flow-run', 'ls')).stdout)).toBe(
      lines(
        'ID                                    NAME        FLOW    STATE      STARTED',
        `${anyId}  busy-bee    report  Running    47m ago`,
        `${anyId}  slow-snail  report  Late       due 57m ago`,
        `${anyId}  bold-fox    etl     Failed     57m ago`,
        `${anyId}  calm-lake   etl     Completed  1h ago`,
      ),
    )
    expect(withoutIds((await onTerminal(57, 'flow-run', 'ls')).stdout)).toBe(
      lines(
        'ID                                    NAME      STATE',
        `${anyId}  busy-bee  Running`,
        `${anyId}  slow-sn…  Late`,
        `${anyId}  bold-fox  Failed`,
        `${anyId}  calm-la…  Completed`,
      ),
    )
  })

  test('shows all columns with -o wide', async () => {
    expect(withoutIds((await onTerminal(200, 'flow-run', 'ls', '-o', 'wide', '--upcoming', '--flow', 'report', 'etl', '--limit', '2')).stdout)).toBe(
      lines(
        'ID                                    NAME       FLOW    STATE      STARTED  DURATION  POOL  TAGS  CREATED',
        `${anyId}  next-newt  report  Scheduled  in 1h                          57m ago`,
        `${anyId}  busy-bee   report  Running    47m ago  47m 21s               57m ago`,
      ),
    )
  })

  test('says on a terminal that there are more runs', async () => {
    expect((await onTerminal(120, 'flow-run', 'ls', '--limit', '2')).stderr).toBe('Showing 2 runs. Use --limit for more.\n')
  })

  test.each([
    [['--state', 'running'], ['busy-bee']],
    [
      ['--state', 'FAILED', 'Late'],
      ['slow-snail', 'bold-fox'],
    ],
    [
      ['--state', 'Scheduled'],
      ['next-newt', 'slow-snail'],
    ],
    [['--late'], ['slow-snail']],
    [['--upcoming'], ['next-newt', 'busy-bee', 'slow-snail', 'bold-fox', 'calm-lake']],
    [
      ['--flow', 'etl'],
      ['bold-fox', 'calm-lake'],
    ],
    [['--deployment', 'etl/prod', '--state', 'Completed'], ['calm-lake']],
    [
      ['--pool', 'k8s'],
      ['bold-fox', 'calm-lake'],
    ],
    [['--tag', 'nightly', 'prod'], ['calm-lake']],
    [['--name', 'snail'], ['slow-snail']],
    [
      ['--since', '58m'],
      ['busy-bee', 'slow-snail'],
    ],
    [['--since', '2030-01-01T00:02:00Z', '--until', '2030-01-01T00:02:30Z'], ['slow-snail']],
    [
      ['--sort', 'name'],
      ['bold-fox', 'busy-bee', 'calm-lake', 'slow-snail'],
    ],
    [['--sort', 'oldest', '--limit', '1'], ['calm-lake']],
    [['--sort', 'soonest', '--state', 'Scheduled', '--limit', '1'], ['slow-snail']],
  ])('filters and sorts by %j', async (options, expected) => {
    expect(names(await server.json('flow-run', 'ls', ...options))).toEqual(expected)
  })

  test('notes that nothing matches', async () => {
    expect(await server.millrace('flow-run', 'ls', '--state', 'Crashed')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No flow runs. Runs that are not due yet are listed with --upcoming.\n',
    })
    expect(await server.json('flow-run', 'ls', '--state', 'Crashed')).toEqual([])
  })

  test.each([
    [['--flow', 'none'], 25, 'Error: Flow "none" not found. `millrace flow ls` shows what there is.\n'],
    [['--deployment', 'etl/none'], 25, 'Error: Deployment "etl/none" not found. `millrace deployment ls` shows what there is.\n'],
    [
      ['--since', 'yesterday'],
      2,
      "Error: option '--since <time>' argument 'yesterday' is invalid. It is neither a duration such as 2h or 1d nor a time such as 2026-05-01T12:00:00Z.\nUsage: millrace flow-run ls [options]\nAdd --help for details.\n",
    ],
    [
      ['--sort', 'size'],
      2,
      "Error: option '--sort <order>' argument 'size' is invalid. Allowed choices are newest, oldest, soonest, ended, name.\nUsage: millrace flow-run ls [options]\nAdd --help for details.\n",
    ],
  ])('rejects %j', async (options, code, stderr) => {
    expect(await server.millrace('flow-run', 'ls', ...options)).toEqual({ code, stdout: '', stderr: expect.stringContaining(stderr) })
  })
})

describe('flow-run inspect', () => {
  test('shows the fields that have a value, and the parameters', async () => {
    expect(withoutIds((await server.millrace('flow-run', 'inspect', 'bold-fox')).stdout)).toBe(
      lines(
        'Name        bold-fox',
        `ID          ${anyId}`,
        'State       Failed',
        'Message     Disk full',
        'Flow        etl',
        'Deployment  etl/prod',
        'Work pool   k8s',
        'Work queue  default',
        'Tags        prod',
        'Created     2030-01-01T00:01:05Z (58m ago)',
        'Started     2030-01-01T00:02:05Z (57m ago)',
        'Ended       2030-01-01T00:02:07Z (57m ago)',
        'Duration    2.5s',
        'Attempts    1',
        `URL         http://127.0.0.1:4200/runs/flow-run/${anyId}`,
        '',
        'Parameters',
        '  rows  5',
      ),
    )
  })

  test('says why a run is not running', async () => {
    const client = clientOf(server)
    const waiting = await seedRun(server, scene.report, { name: 'shy-seal', dueAt: '2030-01-01T03:00:00Z' })
    await client.flowRuns.setState(waiting.id, { state: { type: 'RUNNING' } })
    const { stdout } = await server.millrace('flow-run', 'inspect', waiting.id)
    expect(withoutIds(stdout)).toBe(
      lines(
        'Name     shy-seal',
        `ID       ${anyId}`,
        'State    Scheduled',
        'Flow     report',
        'Created  2030-01-01T01:00:00Z (now)',
        'Due      2030-01-01T03:00:00Z (in 2h)',
        `URL      http://127.0.0.1:4200/runs/flow-run/${anyId}`,
        '',
        'Why it is not running',
        '  2030-01-01T01:00:00Z  Running delayed: This run is scheduled for 2030-01-01T03:00:00Z, in 7200 seconds. (wait-for-scheduled-time)',
      ),
    )
    const { verdicts, ...run } = await server.json('flow-run', 'inspect', waiting.id)
    expect(run).toEqual(await client.flowRuns.read(waiting.id))
    expect(verdicts).toMatchObject([{ status: 'WAIT', rule: 'wait-for-scheduled-time', to_type: 'RUNNING' }])
    await client.flowRuns.delete(waiting.id)
  })

  test('rejects an unknown id and an unknown name', async () => {
    expect(await server.millrace('flow-run', 'inspect', anyId)).toEqual({
      code: 25,
      stdout: '',
      stderr: `Error: Flow run "${anyId}" not found. \`millrace flow-run ls\` shows what there is.\n`,
    })
    expect(await server.millrace('flow-run', 'inspect', 'none')).toEqual({
      code: 25,
      stdout: '',
      stderr: 'Error: Flow run "none" not found. `millrace flow-run ls` shows what there is.\n',
    })
  })

  test('lists the runs of an ambiguous name', async () => {
    const twins = [
      await seedRun(server, scene.report, { name: 'twin' }),
      await seedRun(server, scene.report, { name: 'twin', states: [['RUNNING']] }),
    ]
    const { code, stderr } = await server.millrace('flow-run', 'inspect', 'twin')
    expect({ code, stderr: withoutIds(stderr) }).toEqual({
      code: 26,
      stderr: lines(
        'Error: Several flow runs have the name "twin". Use an id:',
        '  ID                                    CREATED  STATE',
        `  ${anyId}  now      Scheduled`,
        `  ${anyId}  now      Running`,
      ),
    })
    for (const { id } of twins) await clientOf(server).flowRuns.delete(id)
  })
})
