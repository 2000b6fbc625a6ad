import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newFolder } from '../../server/test/databases.ts'
import { type CliTestServer, cliServer, runCli } from './cli-test.ts'
import { allRows, secretText, seedServer, send } from './transfer-seed.ts'

const source = cliServer()
const target = cliServer()

const exportOf = async (server: CliTestServer, ...argv: string[]): Promise<string> => {
  const { code, stdout, stderr } = await server.millrace('export', ...argv)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}
const importInto = (server: CliTestServer, stdin: string, ...argv: string[]) => runCli(['--server', server.url, 'import', '-', ...argv], { stdin })

let full: string
/** Items of the export. */
let count: number
beforeAll(async () => {
  await seedServer(source.app)
  full = await exportOf(source, '--include-secrets')
  const { code, stderr, stdout } = await importInto(target, full)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/\n\d+ created, 0 changed, 0 deleted, 0 unchanged\.\n$/)
  count = Number(stdout.split('\n').at(-2)?.split(' ')[0])
})

describe('an export that was imported into an empty server', () => {
  test('equals the export of that server', async () => {
    expect(await exportOf(target, '--include-secrets')).toBe(full)
  })

  test('keeps user data as it was sent', async () => {
    const answer = async (server: CliTestServer, path: string) => (await server.app.server.inject({ method: 'GET', url: path })).body
    const fieldText = (body: string, key: string) => body.slice(body.lastIndexOf(`"${key}":`)).replace(/,"(tags|labels|enforce).*/s, '')
    for (const [path, key] of [
      ['/variables/name/awkward', 'value'],
      ['/variables/name/padded', 'value'],
      ['/deployments/name/etl/nightly', 'parameters'],
    ] as const)
      expect(fieldText(await answer(target, path), key)).toBe(fieldText(await answer(source, path), key))
  })

  test('keeps nested block types and used documents without a name', () => {
    expect(full).toContain('- slug: a-outer\n')
    expect(full).toContain('inner: !ref block-document:z-inner/part\n')
    expect(full).toContain('name: anonymous-one\n    schema:')
    expect(full).not.toContain('anonymous-unused')
  })

  test('has no ids and no times', () => {
    expect(full).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/)
    expect(full).not.toMatch(/created|updated|_id:/)
  })

  test('changes nothing when it is imported again', async () => {
    const before = await allRows(target.app)
    expect(await importInto(target, full)).toEqual({ code: 0, stdout: `No changes. ${count} unchanged.\n`, stderr: '' })
    expect(await importInto(target, full, '--prune')).toMatchObject({ code: 0, stdout: `No changes. ${count} unchanged.\n` })
    expect(await allRows(target.app)).toBe(before)
  })
})

test('export writes some kinds, with what they need', async () => {
  expect(await exportOf(source, 'variable', 'saved-searches')).toMatch(/^#.*\nversion: 1\n\nvariables:\n.*\n\nsaved_searches:\n/s)
  const deployments = await exportOf(source, 'deployments')
  expect(deployments.match(/^\w+:/gm)).toEqual(['version:', 'flows:', 'deployments:'])
  expect(deployments).not.toContain('never deployed')
  expect(await exportOf(source, 'flows')).toContain('never deployed')
  expect((await exportOf(source, 'block_documents')).match(/^\w+:/gm)).toEqual(['version:', 'block_types:', 'block_documents:'])
})

test('export rejects an unknown kind and contradictory options', async () => {
  expect(await source.millrace('export', 'variabels')).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean variables?') })
  expect(await source.millrace('export', '--file', 'a', '--dir', 'b')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('either --file or --dir'),
  })
  expect(await source.millrace('export', '-o', 'json')).toMatchObject({ code: 2, stderr: expect.stringContaining('An export is YAML') })
  expect(await runCli(['--server', 'http://127.0.0.1:1', 'export'])).toMatchObject({ code: 24 })
  expect(await source.millrace('export', 'variables', '--file', '/nonexistent/x.yaml')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Cannot write'),
  })
})

describe('a folder', () => {
  let folder: string
  beforeAll(() => {
    folder = newFolder('transfer-')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('has one file per kind, which import reads', async () => {
    const dir = join(folder, 'all')
    const { files, counts } = await source.json('export', '--dir', dir, '--include-secrets')
    expect(files).toHaveLength(12)
    expect(counts).toMatchObject({ variables: 6, deployments: 3, default_result_storage: 1 })
    expect(readdirSync(dir)).toContain('work_queues.yaml')
    expect(statSync(join(dir, 'block_documents.yaml')).mode & 0o777).toBe(0o600)
    expect(await runCli(['--server', target.url, 'import', dir])).toEqual({ code: 0, stdout: `No changes. ${count} unchanged.\n`, stderr: '' })
  })

  test('replaces a file at once and names it', async () => {
    const file = join(folder, 'one.yaml')
    writeFileSync(file, 'old')
    expect(await source.millrace('export', 'variables', '--file', file)).toEqual({ code: 0, stdout: `Exported 6 items to ${file}.\n`, stderr: '' })
    expect(readFileSync(file, 'utf8')).toBe(await exportOf(source, 'variables'))
    expect(readdirSync(folder).filter((name) => name.startsWith('one'))).toEqual(['one.yaml'])
  })

  test('may not be empty, and must exist', async () => {
    mkdirSync(join(folder, 'empty'))
    expect(await target.millrace('import', join(folder, 'empty'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('contains no YAML files'),
    })
    expect(await target.millrace('import', join(folder, 'none'))).toMatchObject({ code: 1, stderr: expect.stringContaining('(ENOENT)') })
  })
})

describe('a change by hand', () => {
  const changes: readonly (readonly [kind: string, from: string | RegExp, to: string, line: string])[] = [
    ['block type', 'Rows < columns & more', 'Rows > columns', '    ~ description: "Rows < columns & more" → "Rows > columns"'],
    ['block document', 'basepath: /data/results', 'basepath: /other', '    ~ data.basepath: "/data/results" → "/other"'],
    ['block document', 'host: old', 'host: old\n      port: 1.0', '    + data.port: 1.0'],
    [
      'setting',
      'default_result_storage: local-file-system/results\n\n',
      'default_result_storage: local-file-system/other\n\n',
      '"local-file-system/other"',
    ],
    ['work pool', 'description: Main cluster\n    concurrency_limit: 20', 'description: Main', '    - concurrency_limit: 20'],
    [
      'work pool',
      'default: python:3.11',
      'default: python:3.13',
      '    ~ base_job_template.variables.properties.image.default: "python:3.11" → "python:3.13"',
    ],
    ['work queue', 'priority: 9\n    is_paused: true', 'priority: 3', '    - is_paused: true'],
    ['concurrency limit', 'limit: 3', 'limit: 4\n    active: false', '    ~ limit: 3 → 4'],
    [
      'tag limit',
      'tag: heavy\n    concurrency_limit: 2\n    active: false',
      'tag: heavy\n    concurrency_limit: 5',
      '    ~ concurrency_limit: 2 → 5',
    ],
    ['variable', 'name: padded\n    value: 1.0', 'name: padded\n    value: 1', '    ~ value: 1.0 → 1'],
    ['variable', 'name: digits\n    value: "007"', 'name: digits\n    value: null\n    tags: [x]', '    ~ value: "007" → null'],
    ['variable', '"10": 1.0', '"10": 2.0', '    ~ value.10: 1.0 → 2.0'],
    ['flow', 'tags:\n      - data', 'tags:\n      - data\n      - more', '    + tags: "more"'],
    ['deployment', 'version: "1.10"', 'version: "2"', '    ~ version: "1.10" → "2"'],
    ['deployment', 'own: true', 'own: false\n      level: 2', '    ~ labels.own: true → false'],
    ['deployment', / {4}work_pool: k8s\n {4}work_queue: night\n {4}concurrency_limit: 4\n/, '', '    - work_pool: "k8s"'],
    ['deployment', 'global_concurrency_limit: "rate: api"', 'concurrency_limit: 1', '    + concurrency_limit: 1'],
    ['deployment', 'cron: "5 4 * * 1"\n        day_or: false', 'cron: "6 4 * * 1"', '    ~ schedules[2].cron: "5 4 * * 1" → "6 4 * * 1"'],
    ['deployment', 'pull_steps: null\n    parameter_openapi_schema: null', 'paused: true', '    + paused: true'],
    [
      'deployment',
      / {4}storage_document: local-file-system\/results\n {4}infrastructure_document: warehouse\/anonymous-one\n/,
      '    infrastructure_document: secret/api-key\n',
      '    - storage_document: "local-file-system/results"',
    ],
    ['automation', 'threshold: 3', 'threshold: 2', '    ~ trigger.threshold: 3 → 2'],
    ['automation', '  - name: run\n    enabled: false\n', '  - name: run\n', '    - enabled: false'],
    ['automation', 'automation: self', 'automation: notify', '    ~ actions[0].automation: "self" → "notify"'],
    ['saved search', '- Late', '- Early', '    + filters[0].value: "Early"'],
  ]

  beforeAll(async () => {
    // Another document, for the changes that need one.
    const text = full.replace(/block_documents:\n/, 'block_documents:\n  - type: local-file-system\n    name: other\n    data:\n      basepath: /x\n')
    expect(await importInto(target, text)).toMatchObject({ code: 0, stderr: '' })
  })

  test('is shown by a dry run, which changes nothing, and applied', async () => {
    const text = await exportOf(target, '--include-secrets')
    const changed = changes.reduce((current, [, from, to]) => {
      const next = current.replace(from, to)
      expect(next, String(from)).not.toBe(current)
      return next
    }, text)
    const before = await allRows(target.app)
    const dryRun = await importInto(target, changed, '--dry-run')
    expect(dryRun).toMatchObject({ code: 0, stderr: '' })
    for (const [kind, , , line] of changes) {
      expect(dryRun.stdout).toContain(line)
      expect(dryRun.stdout).toMatch(new RegExp(`^~ ${kind} `, 'm'))
    }
    expect(dryRun.stdout).toContain(`\nDry run: 0 to create, 19 to change, 0 to delete, ${count - 18} unchanged. Nothing was changed.\n`)
    expect(await allRows(target.app)).toBe(before)

    const applied = await importInto(target, changed)
    expect(applied).toMatchObject({ code: 0, stderr: '' })
    expect(applied.stdout).toContain(`\n0 created, 19 changed, 0 deleted, ${count - 18} unchanged.\n`)
    expect(await importInto(target, changed)).toMatchObject({ stdout: `No changes. ${count + 1} unchanged.\n` })
    expect(await importInto(target, text)).toMatchObject({ code: 0, stderr: '' })
    expect(await exportOf(target, '--include-secrets')).toBe(text)
  })

  test.each(changes.filter(([, , , line]) => /enabled|work_pool|storage|is_paused|labels/.test(line)))(
    'is applied alone: %s, %s',
    async (_kind, from, to) => {
      const text = await exportOf(target, '--include-secrets')
      const changed = text.replace(from, to)
      expect(await importInto(target, changed)).toMatchObject({ code: 0, stderr: '' })
      expect(await importInto(target, changed)).toMatchObject({ stdout: `No changes. ${count + 1} unchanged.\n` })
      expect(await importInto(target, text)).toMatchObject({ code: 0, stderr: '' })
      expect(await exportOf(target, '--include-secrets')).toBe(text)
    },
  )
})

test('prune deletes what the file does not have, after a confirmation', async () => {
  const text = await exportOf(target, '--include-secrets')
  await send(target.app, 'POST', '/variables/', { name: 'extra', value: 1 })
  await send(target.app, 'POST', '/work_pools/', { name: 'extra', type: 'process' })
  await send(target.app, 'POST', '/work_pools/extra/queues', { name: 'more' })
  await send(target.app, 'POST', '/work_pools/k8s/queues', { name: 'more' })
  await send(target.app, 'POST', '/concurrency_limits/', { tag: 'extra', concurrency_limit: 1 })
  const flow = (await send(target.app, 'POST', '/flows/', { name: 'etl' })).id
  await send(target.app, 'POST', '/deployments/', { name: 'extra', flow_id: flow, concurrency_limit: 2 })
  await send(target.app, 'POST', '/automations/', { name: 'twin', trigger: { type: 'event', posture: 'Reactive' }, actions: [] })

  expect(await importInto(target, text)).toMatchObject({ stdout: `No changes. ${count + 1} unchanged.\n` })
  const unconfirmed = await importInto(target, text, '--prune')
  expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining('Delete 6 items? Confirm with --yes') })
  expect(unconfirmed.stdout).toBe(
    ['- automation twin', '- deployment etl/extra', '- variable extra', '- tag limit extra', '- work queue k8s/more', '- work pool extra', ''].join(
      '\n',
    ),
  )
  const onlyVariables = await importInto(target, await exportOf(source, 'variables'), '--prune', '--dry-run')
  expect(onlyVariables.stdout).toMatch(/^- variable extra\nDry run: 0 to create, 0 to change, 1 to delete, 6 unchanged/)
  expect(await importInto(target, text, '--prune', '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`0 created, 0 changed, 6 deleted, ${count + 1} unchanged.`),
  })
  expect(await exportOf(target, '--include-secrets')).toBe(text)
})

test('prune refuses to delete what the file still names', async () => {
  const text = 'version: 1\nwork_pools: []\ndeployments:\n  - flow: etl\n    name: nightly\n    work_pool: k8s\n'
  const { code, stderr } = await importInto(target, text, '--prune', '--yes')
  expect(code).toBe(1)
  expect(stderr).toContain('stdin:6: deployments[0].work_pool: The work pool "k8s" is not in the file, so --prune would delete it.')
})

test('secrets never appear in the output of an import', async () => {
  for (const argv of [[], ['-o', 'json'], ['-o', 'yaml']]) {
    const changed = full.replaceAll(secretText, `${secretText}-changed`)
    const { stdout, code } = await importInto(target, changed, '--dry-run', ...argv)
    expect([code, stdout.includes(secretText)]).toEqual([0, false])
    expect(stdout).toContain('********')
  }
})
