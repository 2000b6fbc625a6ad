import { beforeAll, describe, expect, test } from 'vitest'
import { cliServer, runCli } from './cli-test.ts'
import { anyId, clientOf, freezeClock, lines, type Scene, seedRun, seedScene, withoutIds } from './seed.ts'

freezeClock()
const server = cliServer()
let scene: Scene
beforeAll(async () => {
  scene = await seedScene(server)
})

describe('flow ls', () => {
  test('lists flows with their deployments and last run', async () => {
    expect(await server.millrace('flow', 'ls')).toEqual({
      code: 0,
      stdout: lines(
        'NAME    TAGS         DEPLOYMENTS  LAST RUN  STATE    NEXT RUN',
        'etl     prod, daily            1  57m ago   Failed',
        'report                         0  47m ago   Running  in 1h',
      ),
      stderr: '',
    })
  })

  test('shows ids with -o wide', async () => {
    expect(withoutIds((await server.millrace('flow', 'ls', '--tag', 'daily', '-o', 'wide')).stdout)).toBe(
      lines(
        'NAME  TAGS         DEPLOYMENTS  LAST RUN  STATE   NEXT RUN  CREATED  ID',
        `etl   prod, daily            1  57m ago   Failed            1h ago   ${anyId}`,
      ),
    )
  })

  test('shortens tags and leaves out columns on a narrow terminal', async () => {
    expect((await runCli(['--server', server.url, 'flow', 'ls'], { columns: 50 })).stdout).toBe(
      lines(
        'NAME    TAGS        DEPLOYMENTS  LAST RUN  STATE',
        'etl     prod, dai…            1  57m ago   Failed',
        'report                        0  47m ago   Running',
      ),
    )
  })

  test('prints the objects of the API as JSON', async () => {
    expect(await server.json('flow', 'ls', '--name', 'REP')).toEqual([scene.report])
    expect(await server.json('flow', 'ls', '--limit', '1')).toEqual([scene.etl])
  })

  test('notes that nothing matches', async () => {
    expect(await server.millrace('flow', 'ls', '--name', 'none')).toEqual({ code: 0, stdout: '', stderr: 'No flows.\n' })
  })
})

describe('flow inspect', () => {
  test('shows deployments and last runs', async () => {
    expect(withoutIds((await server.millrace('flow', 'inspect', 'etl')).stdout)).toBe(
      lines(
        'Name     etl',
        `ID       ${anyId}`,
        'Tags     prod, daily',
        'Created  2030-01-01T00:00:00Z (1h ago)',
        '',
        'Deployments',
        '  prod  not ready  0 6 * * * (Europe/Berlin)',
        '',
        'Last runs',
        '  NAME       STATE      STARTED',
        '  bold-fox   Failed     57m ago',
        '  calm-lake  Completed  1h ago',
      ),
    )
  })

  test('prints the object of the API as JSON, by name or id', async () => {
    expect(await server.json('flow', 'inspect', 'etl')).toEqual(scene.etl)
    expect(await server.json('flow', 'inspect', scene.etl.id.replaceAll('-', ''))).toEqual(scene.etl)
  })

  test('rejects unknown flows', async () => {
    expect(await server.millrace('flow', 'inspect', 'none')).toEqual({
      code: 25,
      stdout: '',
      stderr: 'Error: Flow "none" not found. `millrace flow ls` shows what there is.\n',
    })
    expect(await server.millrace('flow', 'inspect', anyId)).toEqual({
      code: 25,
      stdout: '',
      stderr: `Error: Flow "${anyId}" not found. \`millrace flow ls\` shows what there is.\n`,
    })
    expect((await server.millrace('flow', 'inspect')).code).toBe(2)
  })
})

describe('flow delete', () => {
  test('says what is deleted with the flow', async () => {
    const flow = await clientOf(server).flows.create({ name: 'old' })
    await clientOf(server).deployments.create({ name: 'one', flow_id: flow.id })
    for (const name of ['a', 'b']) await seedRun(server, flow, { name })
    expect(await server.millrace('flow', 'delete', 'old')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Error: Delete flow "old" with 1 deployment and 2 flow runs? Confirm with --yes: there is no terminal to ask.\n',
    })
    expect(await server.millrace('flow', 'delete', 'old', '--yes')).toEqual({
      code: 0,
      stdout: 'Deleted flow "old" with 1 deployment and 2 flow runs.\n',
      stderr: '',
    })
    expect((await server.millrace('flow', 'delete', 'old', '--yes')).code).toBe(25)
  })

  test('prints what it deleted as JSON', async () => {
    const { id } = await clientOf(server).flows.create({ name: 'older' })
    expect(await server.json('flow', 'delete', id, '-y')).toEqual({ id, name: 'older', deployments: 0, flow_runs: 0 })
  })
})
