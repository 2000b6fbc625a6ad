import { beforeAll, describe, expect, test } from 'vitest'
import { cliServer, runCli } from './cli-test.ts'
import { anyId, clientOf, freezeClock, lines, type Scene, seedScene, withoutIds } from './seed.ts'

freezeClock()
const server = cliServer()
let scene: Scene
const client = () => clientOf(server)
beforeAll(async () => {
  scene = await seedScene(server)
})

/** A deployment of the flow "report". */
const newDeployment = (name: string, ...slugs: string[]) =>
  client().deployments.create({
    name,
    flow_id: scene.report.id,
    schedules: slugs.map((slug) => ({ schedule: { interval: 3600 }, slug, parameters: { slug } })),
  })

describe('deployment schedule ls', () => {
  test('lists schedules with their next run', async () => {
    const { code, stdout, stderr } = await server.millrace('deployment', 'schedule', 'ls', 'etl/prod')
    expect({ code, stdout: withoutIds(stdout), stderr }).toEqual({
      code: 0,
      stdout: lines(
        'ID                                    SCHEDULE                   ACTIVE  NEXT RUN  PARAMETERS  SLUG',
        `${anyId}  0 6 * * * (Europe/Berlin)  yes     in 4h                 morning`,
      ),
      stderr: '',
    })
    expect(withoutIds((await runCli(['--server', server.url, 'deployment', 'schedule', 'ls', 'etl/prod'], { columns: 64 })).stdout)).toBe(
      lines('ID                                    SCHEDULE  ACTIVE  NEXT RUN', `${anyId}  0 6 * *…  yes     in 4h`),
    )
  })

  test('prints the objects of the API as JSON', async () => {
    expect(await server.json('deployment', 'schedule', 'ls', 'etl/prod')).toEqual(scene.prod.schedules)
  })

  test('notes that there are none', async () => {
    await newDeployment('bare')
    expect(await server.millrace('deployment', 'schedule', 'ls', 'bare')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Deployment report/bare has no schedules.\n',
    })
  })
})

describe('deployment schedule create', () => {
  test('adds a schedule and shows its next times', async () => {
    await newDeployment('created')
    const { code, stdout, stderr } = await server.millrace(
      ...['deployment', 'schedule', 'create', 'report/created', '--cron', '30 8 * * *', '--timezone', 'Europe/Berlin'],
    )
    expect({ code, stdout: withoutIds(stdout), stderr }).toEqual({
      code: 0,
      stdout: lines(
        `Created schedule ${anyId} of report/created: 30 8 * * * (Europe/Berlin)`,
        '',
        'Next runs',
        '  2030-01-01T07:30:00Z (in 6h)',
        '  2030-01-02T07:30:00Z (in 1d)',
        '  2030-01-03T07:30:00Z (in 2d)',
      ),
      stderr: '',
    })
  })

  test.each([
    [['--interval', '1h', '--anchor', '2030-01-01T00:15:00Z'], { interval: 3600, anchor_date: '2030-01-01T00:15:00Z' }],
    [['--interval', 'PT90M', '--timezone', 'Asia/Tokyo'], { interval: 5400, timezone: 'Asia/Tokyo' }],
    [['--interval', '30'], { interval: 30 }],
    [['--cron', '@daily'], { cron: '@daily' }],
  ])('accepts %j', async (options, schedule) => {
    await newDeployment('accepted')
    expect(await server.json('deployment', 'schedule', 'create', 'accepted', ...options)).toMatchObject({ active: true, schedule })
  })

  test('passes parameters and settings on', async () => {
    await newDeployment('full')
    const created = await server.json(
      ...['deployment', 'schedule', 'create', 'full', '--rrule', 'FREQ=WEEKLY;BYDAY=MO', '--parameter', 'rows=5', '--parameter', 'region=eu'],
      ...['--slug', 'monday', '--max-runs', '3', '--paused'],
    )
    expect(created).toMatchObject({
      active: false,
      slug: 'monday',
      max_scheduled_runs: 3,
      parameters: { rows: 5, region: 'eu' },
      schedule: { rrule: expect.stringContaining('FREQ=WEEKLY;BYDAY=MO') },
    })
  })

  test('says that the deployment is paused', async () => {
    const { id } = await newDeployment('sleeping')
    await client().deployments.pause(id)
    const { stdout, stderr } = await server.millrace('deployment', 'schedule', 'create', 'sleeping', '--interval', '1d')
    expect({ stdout: withoutIds(stdout), stderr }).toEqual({
      stdout: `Created schedule ${anyId} of report/sleeping: every 1d\n`,
      stderr: 'Deployment report/sleeping is paused. Resume it with `millrace deployment resume report/sleeping`.\n',
    })
  })

  test.each([
    [[], 2, 'Error: Give one of --cron, --interval and --rrule.\n'],
    [['--cron', '* * * * *', '--interval', '1h'], 2, 'Error: Give one of --cron, --interval and --rrule.\n'],
    [['--cron', '* * * * *', '--anchor', '2030-01-01'], 2, 'Error: --anchor needs --interval.\n'],
    [['--cron', 'often'], 1, 'often'],
    [['--interval', '1h', '--timezone', 'Mars/Olympus'], 1, 'Mars/Olympus'],
  ])('rejects %j', async (options, code, stderr) => {
    expect(await server.millrace('deployment', 'schedule', 'create', 'prod', ...options)).toEqual({
      code,
      stdout: '',
      stderr: expect.stringContaining(stderr),
    })
  })
})

describe('deployment schedule pause and resume', () => {
  test('pauses and resumes the only schedule, and keeps its parameters', async () => {
    const { id } = await newDeployment('single', 'hourly')
    expect(await server.millrace('deployment', 'schedule', 'pause', 'single')).toEqual({
      code: 0,
      stdout: 'Paused schedule "every 1h" of report/single.\n',
      stderr: '',
    })
    expect(await client().deployments.listSchedules(id)).toMatchObject([{ active: false, parameters: { slug: 'hourly' } }])
    expect(await server.millrace('deployment', 'schedule', 'resume', 'single', 'hourly')).toEqual({
      code: 0,
      stdout: 'Resumed schedule "every 1h" of report/single.\n',
      stderr: '',
    })
    const [schedule] = await client().deployments.listSchedules(id)
    expect(await server.json('deployment', 'schedule', 'pause', 'single', schedule!.id)).toEqual({ id: schedule!.id, active: false })
  })

  test('lists the schedules if there are several', async () => {
    await newDeployment('double', 'first', 'second')
    const { code, stdout, stderr } = await server.millrace('deployment', 'schedule', 'pause', 'double')
    expect({ code, stdout, stderr: withoutIds(stderr).split('\n').sort() }).toEqual({
      code: 26,
      stdout: '',
      stderr: [
        '',
        `  ${anyId}  first  every 1h`,
        `  ${anyId}  second  every 1h`,
        'Error: Deployment report/double has several schedules. Name one by its id or slug:',
      ],
    })
  })

  test('rejects an unknown schedule', async () => {
    expect(await server.millrace('deployment', 'schedule', 'resume', 'prod', 'evening')).toEqual({
      code: 25,
      stdout: '',
      stderr: 'Error: Schedule of etl/prod "evening" not found. `millrace deployment schedule ls etl/prod` shows what there is.\n',
    })
  })
})

describe('deployment schedule delete', () => {
  test('asks, and deletes the schedule', async () => {
    const { id } = await newDeployment('doomed', 'hourly')
    expect(await server.millrace('deployment', 'schedule', 'delete', 'doomed')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Error: Delete schedule "every 1h" of report/doomed and its planned runs? Confirm with --yes: there is no terminal to ask.\n',
    })
    const [schedule] = await client().deployments.listSchedules(id)
    expect(await server.json('deployment', 'schedule', 'delete', 'doomed', 'hourly', '--yes')).toEqual({ id: schedule!.id })
    expect(await server.millrace('deployment', 'schedule', 'delete', 'doomed', '--yes')).toEqual({
      code: 25,
      stdout: '',
      stderr: 'Error: Deployment report/doomed has no schedules.\n',
    })
  })
})
