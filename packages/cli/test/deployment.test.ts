import { beforeAll, describe, expect, test } from 'vitest'
import { cliServer, runCli } from './cli-test.ts'
import { anyId, clientOf, freezeClock, lines, type Scene, seedRun, seedScene, withoutIds } from './seed.ts'

freezeClock()
const server = cliServer()
let scene: Scene
const client = () => clientOf(server)
beforeAll(async () => {
  scene = await seedScene(server)
  await client().deployments.create({
    name: 'test',
    flow_id: scene.report.id,
    paused: true,
    description: 'Sends the report.\nEvery day.',
    schedules: [{ schedule: { interval: 5400 } }, { schedule: { rrule: 'FREQ=DAILY' }, active: false }],
  })
})

describe('deployment ls', () => {
  test('lists deployments with status, schedules and runs', async () => {
    expect(await server.millrace('deployment', 'ls')).toEqual({
      code: 0,
      stdout: lines(
        'DEPLOYMENT   STATUS     SCHEDULE                   POOL  LAST RUN  STATE   NEXT RUN',
        'etl/prod     not ready  0 6 * * * (Europe/Berlin)  k8s   57m ago   Failed',
        'report/test  paused     every 1h30m',
      ),
      stderr: '',
    })
  })

  test('shortens schedules and leaves out columns on a narrow terminal', async () => {
    expect((await runCli(['--server', server.url, 'deployment', 'ls'], { columns: 44 })).stdout).toBe(
      lines('DEPLOYMENT   STATUS     SCHEDULE    LAST RUN', 'etl/prod     not ready  0 6 * * *…  57m ago', 'report/test  paused     every 1h3…'),
    )
  })

  test('shows tags, versions and ids with -o wide', async () => {
    expect(withoutIds((await server.millrace('deployment', 'ls', '--flow', 'etl', '-o', 'wide')).stdout)).toBe(
      lines(
        'DEPLOYMENT  STATUS     SCHEDULE                   POOL  LAST RUN  STATE   NEXT RUN  TAGS  VERSION  ID',
        `etl/prod    not ready  0 6 * * * (Europe/Berlin)  k8s   57m ago   Failed            prod  3        ${anyId}`,
      ),
    )
  })

  test.each([
    [['--tag', 'prod'], ['prod']],
    [['--pool', 'k8s'], ['prod']],
    [['--paused'], ['test']],
    [['--name', 'REPORT'], ['test']],
    [
      ['--flow', 'etl', 'report', '--sort', 'created'],
      ['test', 'prod'],
    ],
    [['--limit', '1'], ['prod']],
  ])('filters and sorts by %j', async (options, expected) => {
    const deployments = await server.json('deployment', 'ls', ...options)
    expect(deployments.map(({ name }: { name: string }) => name)).toEqual(expected)
  })

  test('prints the objects of the API as JSON', async () => {
    expect(await server.json('deployment', 'ls', '--flow', 'etl')).toEqual([scene.prod])
    expect(await server.millrace('deployment', 'ls', '--tag', 'none')).toEqual({ code: 0, stdout: '', stderr: 'No deployments.\n' })
  })
})

describe('deployment inspect', () => {
  test('shows the next times of schedules, and the parameters', async () => {
    expect(withoutIds((await server.millrace('deployment', 'inspect', 'prod')).stdout)).toBe(
      lines(
        'Name               etl/prod',
        `ID                 ${anyId}`,
        'Status             not ready',
        'Version            3',
        'Tags               prod',
        'Work pool          k8s',
        'Work queue         default',
        'Entrypoint         etl.py:etl',
        'Checks parameters  yes',
        'Created            2030-01-01T00:00:00Z (1h ago)',
        'Updated            2030-01-01T00:00:00Z (1h ago)',
        `URL                http://127.0.0.1:4200/deployments/deployment/${anyId}`,
        '',
        'Schedules',
        '  0 6 * * * (Europe/Berlin)  (morning)',
        '    2030-01-01T05:00:00Z (in 4h)',
        '    2030-01-02T05:00:00Z (in 1d)',
        '    2030-01-03T05:00:00Z (in 2d)',
        '',
        'Parameters',
        '  rows    100 (integer)',
        '  region  default "eu" (string)',
        '  source  optional (string)',
      ),
    )
  })

  test('shows a paused deployment without next times', async () => {
    expect(withoutIds((await server.millrace('deployment', 'inspect', 'report/test')).stdout)).toBe(
      lines(
        'Name               report/test',
        `ID                 ${anyId}`,
        'Status             paused',
        'Checks parameters  yes',
        'Created            2030-01-01T01:00:00Z (now)',
        'Updated            2030-01-01T01:00:00Z (now)',
        `URL                http://127.0.0.1:4200/deployments/deployment/${anyId}`,
        '',
        'Description',
        '  Sends the report.',
        '  Every day.',
        '',
        'Schedules',
        '  FREQ=DAILY  paused',
        '  every 1h30m',
      ),
    )
  })

  test('prints the deployment with the next times of its schedules as JSON', async () => {
    const { schedules, ...deployment } = await server.json('deployment', 'inspect', scene.prod.id)
    const { schedules: stored, ...rest } = scene.prod
    expect(deployment).toEqual(rest)
    expect(schedules).toEqual([{ ...stored[0], next: ['2030-01-01T05:00:00Z', '2030-01-02T05:00:00Z', '2030-01-03T05:00:00Z'] }])
  })

  test('rejects unknown deployments', async () => {
    for (const reference of ['none', 'etl/none', anyId]) {
      expect(await server.millrace('deployment', 'inspect', reference)).toEqual({
        code: 25,
        stdout: '',
        stderr: `Error: Deployment "${reference}" not found. \`millrace deployment ls\` shows what there is.\n`,
      })
    }
  })

  test('lists the deployments of an ambiguous name', async () => {
    const twin = await client().deployments.create({ name: 'prod', flow_id: scene.report.id })
    const { code, stderr } = await server.millrace('deployment', 'inspect', 'prod')
    expect({ code, stderr: withoutIds(stderr) }).toEqual({
      code: 26,
      stderr: lines(
        'Error: Several deployments have the name "prod". Use an id:',
        '  ID                                    DEPLOYMENT   CREATED  STATUS',
        `  ${anyId}  etl/prod     1h ago   not ready`,
        `  ${anyId}  report/prod  now      not ready`,
      ),
    })
    await client().deployments.delete(twin.id)
  })
})

describe('deployment pause and resume', () => {
  test('pauses and resumes deployments', async () => {
    expect(await server.millrace('deployment', 'pause', 'etl/prod')).toEqual({ code: 0, stdout: 'Paused deployment "etl/prod".\n', stderr: '' })
    expect((await client().deployments.read(scene.prod.id)).paused).toBe(true)
    expect(await server.millrace('deployment', 'resume', 'prod', 'report/test')).toEqual({
      code: 0,
      stdout: 'Resumed deployments "etl/prod", "report/test".\n',
      stderr: '',
    })
    expect((await client().deployments.read(scene.prod.id)).paused).toBe(false)
    expect(await server.json('deployment', 'pause', 'report/test')).toMatchObject([{ name: 'test', paused: true }])
  })

  test('changes nothing if one of them is unknown', async () => {
    expect((await server.millrace('deployment', 'pause', 'etl/prod', 'none')).code).toBe(25)
    expect((await client().deployments.read(scene.prod.id)).paused).toBe(false)
  })
})

describe('deployment delete', () => {
  test('asks, and says how many scheduled runs are deleted', async () => {
    const deployment = await client().deployments.create({ name: 'old', flow_id: scene.etl.id })
    await seedRun(server, scene.etl, { name: 'planned', deployment })
    expect(await server.millrace('deployment', 'delete', 'old')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Error: Delete deployment "etl/old" and 1 scheduled run? Confirm with --yes: there is no terminal to ask.\n',
    })
    expect(await server.millrace('deployment', 'delete', 'old', '--yes')).toEqual({ code: 0, stdout: 'Deleted deployment "etl/old".\n', stderr: '' })
    expect((await server.millrace('flow-run', 'inspect', 'planned')).code).toBe(25)
  })

  test('prints the deleted ids as JSON', async () => {
    const { id } = await client().deployments.create({ name: 'older', flow_id: scene.etl.id })
    expect(await server.json('deployment', 'delete', 'etl/older', '--yes')).toEqual({ deleted: [id] })
  })
})
