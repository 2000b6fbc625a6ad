import type { Artifact } from '@millrace/contracts/artifact.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { cliServer, runCli } from './cli-test.ts'
import { anyId, clientOf, freezeClock, lines, type Scene, seedScene, withoutIds } from './seed.ts'

freezeClock()
const server = cliServer()
let scene: Scene
let oldReport: Artifact
let report: Artifact
const client = () => clientOf(server)
beforeAll(async () => {
  scene = await seedScene(server)
  const run = { flow_run_id: scene.completed.id }
  oldReport = await client().artifacts.create({ key: 'report', type: 'markdown', data: '# Old', ...run })
  report = await client().artifacts.create({
    key: 'report',
    type: 'markdown',
    data: '# Rows\n\n- 100 loaded\u0007',
    description: 'Daily\nreport',
    ...run,
  })
  await client().artifacts.create({
    key: 'sizes',
    type: 'table',
    data: JSON.stringify([
      { table: 'a', rows: 5 },
      { table: 'bb', rows: 120 },
    ]),
    ...run,
  })
  await client().artifacts.create({ key: 'load', type: 'progress', data: 42.5, metadata_: { unit: 'rows' } })
  await client().artifacts.create({ type: 'link', data: '[Docs](https://example.com)' })
})

describe('artifact ls', () => {
  test('lists the latest artifact of each key, newest first', async () => {
    expect(await server.millrace('artifact', 'ls')).toEqual({
      code: 0,
      stdout: lines(
        'KEY     TYPE      UPDATED  FLOW RUN   DESCRIPTION',
        'load    progress  now',
        'sizes   table     now      calm-lake',
        'report  markdown  now      calm-lake  Daily report',
      ),
      stderr: '',
    })
    expect((await runCli(['--server', server.url, 'artifact', 'ls', '--key', 'rep'], { columns: 30 })).stdout).toBe(
      lines('KEY     TYPE      UPDATED', 'report  markdown  now'),
    )
  })

  test('lists all versions and artifacts without a key', async () => {
    expect(withoutIds((await server.millrace('artifact', 'ls', '--all', '--type', 'markdown', 'link')).stdout)).toBe(
      lines(
        'ID                                    KEY     TYPE      UPDATED  FLOW RUN   DESCRIPTION',
        `${anyId}          link      now`,
        `${anyId}  report  markdown  now      calm-lake  Daily report`,
        `${anyId}  report  markdown  now      calm-lake`,
      ),
    )
  })

  test('shows the id of the latest version with -o wide', async () => {
    expect((await server.millrace('artifact', 'ls', '--key', 'report', '-o', 'wide')).stdout).toContain(`Daily report  ${report.id}\n`)
  })

  test('prints the objects of the API as JSON', async () => {
    expect(await server.json('artifact', 'ls', '--key', 'report')).toMatchObject([{ key: 'report', latest_id: report.id }])
    expect(await server.json('artifact', 'ls', '--all', '--key', 'report')).toEqual([report, oldReport])
    expect(await server.json('artifact', 'ls', '--all', '--flow-run', 'calm-lake', '--limit', '1')).toMatchObject([{ key: 'sizes' }])
    expect(await server.millrace('artifact', 'ls', '--type', 'none')).toEqual({ code: 0, stdout: '', stderr: 'No artifacts.\n' })
  })
})

describe('artifact inspect', () => {
  const fields = (key: string, type: string) => [
    `Key       ${key}`,
    `ID        ${anyId}`,
    `Type      ${type}`,
    `Flow run  calm-lake (${anyId})`,
    'Created   2030-01-01T01:00:00Z (now)',
    'Updated   2030-01-01T01:00:00Z (now)',
  ]

  test('prints markdown', async () => {
    const { stdout } = await server.millrace('artifact', 'inspect', 'report')
    expect(withoutIds(stdout)).toBe(
      lines(...fields('report', 'markdown'), '', 'Description', '  Daily', '  report', '', '# Rows', '', '- 100 loaded\ufffd'),
    )
    const coloured = await runCli(['--server', server.url, 'artifact', 'inspect', oldReport.id], { columns: 80, env: { NO_COLOR: '' } })
    expect(coloured.stdout.split('\n').at(-2)).toBe('\u001b[1m# Old\u001b[22m')
  })

  test('prints tables', async () => {
    expect(withoutIds((await server.millrace('artifact', 'inspect', 'sizes')).stdout)).toBe(
      lines(...fields('sizes', 'table'), '', 'table  rows', 'a         5', 'bb      120'),
    )
  })

  test('prints progress and metadata', async () => {
    expect(withoutIds((await server.millrace('artifact', 'inspect', 'load')).stdout)).toBe(
      lines(
        'Key      load',
        `ID       ${anyId}`,
        'Type     progress',
        'Created  2030-01-01T01:00:00Z (now)',
        'Updated  2030-01-01T01:00:00Z (now)',
        '',
        'Metadata',
        '  unit  "rows"',
        '',
        '█████████████████░░░░░░░░░░░░░░░░░░░░░░░ 42.5 %',
      ),
    )
  })

  test('prints all versions of a key', async () => {
    const { stdout } = await server.millrace('artifact', 'inspect', 'report', '--all')
    expect(stdout.match(/^# .*$/gm)).toEqual(['# Rows', '# Old'])
    expect(await server.json('artifact', 'inspect', 'report', '--all')).toEqual([report, oldReport])
  })

  test('prints the object of the API as JSON', async () => {
    expect(await server.json('artifact', 'inspect', 'report')).toEqual(report)
    expect(await server.json('artifact', 'inspect', oldReport.id)).toEqual(oldReport)
  })

  test('rejects unknown keys and ids', async () => {
    for (const reference of ['none', anyId]) {
      expect(await server.millrace('artifact', 'inspect', reference)).toEqual({
        code: 25,
        stdout: '',
        stderr: `Error: Artifact "${reference}" not found. \`millrace artifact ls\` shows what there is.\n`,
      })
    }
    expect((await server.millrace('artifact', 'inspect', 'none', '--all')).code).toBe(25)
  })
})

describe('artifact delete', () => {
  test('asks, and deletes all versions of a key or one by its id', async () => {
    for (const data of ['one', 'two']) await client().artifacts.create({ key: 'old', type: 'markdown', data })
    const latest = await client().artifacts.create({ key: 'old', type: 'markdown', data: 'three' })
    expect(await server.json('artifact', 'delete', latest.id, '--yes')).toEqual({ deleted: [latest.id] })
    expect(await server.millrace('artifact', 'delete', 'old')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Error: Delete 2 versions of artifact "old"? Confirm with --yes: there is no terminal to ask.\n',
    })
    expect(await server.millrace('artifact', 'delete', 'old', '--yes')).toEqual({
      code: 0,
      stdout: 'Deleted 2 versions of artifact "old".\n',
      stderr: '',
    })
    expect((await server.millrace('artifact', 'delete', 'old', '--yes')).stderr).toBe(
      'Error: Artifact "old" not found. `millrace artifact ls` shows what there is.\n',
    )
  })
})
