import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newFolder } from '../../server/test/databases.ts'
import { run } from '../src/program.ts'
import { type CliTestServer, cliServer, runCli } from './cli-test.ts'
import { allRows, send } from './transfer-seed.ts'

const server = cliServer()
const other = cliServer()

const importText = (text: string, argv: readonly string[] = [], env: Record<string, string> = {}, into: CliTestServer = server) =>
  runCli(['--server', into.url, 'import', '-', ...argv], { stdin: text, env })
const exportText = async (from: CliTestServer, ...argv: string[]) => (await from.millrace('export', ...argv)).stdout

describe('a file that is not valid', () => {
  let before: string
  beforeAll(async () => {
    await send(server.app, 'POST', '/block_types/install_system_block_types')
    await send(server.app, 'POST', '/work_pools/', { name: 'k8s', type: 'kubernetes' })
    before = await allRows(server.app)
  })

  test.each<[name: string, text: string, ...problems: string[]]>([
    ['no YAML', 'version: 1\nvariables: [', 'stdin:3: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ['an empty file', '', 'stdin:1: Must be a mapping with the key "version", not empty.'],
    ['no version', 'variables: []', 'stdin:1: Missing key "version". Write "version: 1" at the top.'],
    ['another version', 'version: 2', 'stdin:1: version: This version of Millrace reads files of version 1 only.'],
    ['an unknown kind', 'version: 1\nvariabels: []', 'stdin:2: variabels: Unknown key "variabels". Did you mean "variables"?'],
    ['no list', 'version: 1\nvariables: {}', 'stdin:2: variables: Must be a list, not a mapping.'],
    [
      'several faults',
      'version: 1\nvariables:\n  - name: Bad Name\n    value: 1\n    tag: x\n  - value: 1\n\ndeployments:\n  - flow: a/b\n    name: x\n    version: 1.10\n    tags: prod\n    paused: "yes"\n    concurrency_limit: 0',
      'stdin:3: variables[0].name: "Bad Name" is not allowed: a name has up to 255 lower-case letters, digits, _ and -.',
      'stdin:5: variables[0].tag: Unknown key "tag". Did you mean "tags"?',
      'stdin:6: variables[1]: Missing key "name".',
      'stdin:9: deployments[0].flow: "a/b" is not allowed: a name is not empty and contains no / % & > <.',
      'stdin:11: deployments[0].version: Must be text: put 1.10 in quotes.',
      'stdin:12: deployments[0].tags: Must be a list, not text.',
      'stdin:13: deployments[0].paused: Must be true or false, not text.',
      'stdin:14: deployments[0].concurrency_limit: Must be at least 1, not 0.',
    ],
    [
      'bad schedules',
      'version: 1\ndeployments:\n  - flow: a\n    name: b\n    schedules:\n      - cron: 61 * * * *\n      - interval: 0\n      - cron: "* * * * *"\n        rrule: FREQ=DAILY\n      - cron: "* * * * *"\n        timezone: Mars/Base\n',
      'stdin:6: deployments[0].schedules[0].cron: ',
      'stdin:7: deployments[0].schedules[1].interval: The interval must be positive.',
      'stdin:8: deployments[0].schedules[2]: A schedule needs exactly one of the keys cron, interval and rrule.',
      'stdin:10: deployments[0].schedules[3].cron: "Mars/Base" is not a time zone',
    ],
    [
      'bad automations',
      'version: 1\nautomations:\n  - name: a\n    trigger:\n      posture: Reactiv\n    actions:\n      - type: run-deploymnt\n      - type: pause-work-pool\n      - type: run-deployment\n        source: inferred\n        deployment: x/y\n  - name: b\n    trigger: {type: compound, within: 1, triggers: [{type: foo}]}',
      'stdin:5: automations[0].trigger.posture: Must be one of Reactive, Proactive. Did you mean Reactive?',
      'stdin:7: automations[0].actions[0].type: Unknown type "run-deploymnt". Did you mean "run-deployment"?',
      'stdin:8: automations[0].actions[1]: Missing key "work_pool", or "source: inferred".',
      'stdin:11: automations[0].actions[2].deployment: An inferred action has no "deployment". The event names it.',
      'stdin:13: automations[1].trigger: Missing key "require".',
      'stdin:13: automations[1].trigger.triggers[0].type: Unknown type "foo".',
    ],
    [
      'repeated items and priorities',
      'version: 1\nvariables:\n  - {name: a, value: 1}\n  - {name: a, value: 2}\nwork_queues:\n  - {work_pool: k8s, name: a, priority: 3}\n  - {work_pool: k8s, name: b, priority: 3}',
      'stdin:4: variables[1]: The variable "a" appears twice.',
      'stdin:7: work_queues[1].priority: Another queue of the work pool "k8s" has the priority 3.',
    ],
    [
      'names that do not exist',
      'version: 1\ndeployments:\n  - flow: a\n    name: b\n    work_pool: k8\n    storage_document: x/y\n    parameters:\n      a: [!ref block-document:x/y]\nautomations:\n  - name: a\n    trigger:\n      posture: Reactive\n      match:\n        prefect.resource.id: !ref deployment:a/c\n    actions: []',
      'stdin:5: deployments[0].work_pool: The work pool "k8" is neither in the file nor on the server. Did you mean "k8s"?',
      'stdin:6: deployments[0].storage_document: The block document "x/y" is neither in the file nor on the server.',
      'stdin:8: deployments[0].parameters.a[0]: The block document "x/y" is neither in the file nor on the server.',
      'stdin:14: automations[0].trigger.match["prefect.resource.id"]: The deployment "a/c" is neither in the file nor on the server. Did you mean "a/b"?',
    ],
    [
      'what the server cannot change',
      'version: 1\nwork_pools:\n  - name: k8s\n    type: docker\n    default_queue: first',
      'stdin:4: work_pools[0].type: The type of an existing work pool cannot be changed. It is "kubernetes": delete the pool first.',
      'stdin:5: work_pools[0].default_queue: The default queue of an existing work pool cannot be changed. It is "default".',
    ],
    [
      'blocks without a type or schema',
      'version: 1\nblock_types:\n  - slug: new\nblock_documents:\n  - {type: nothing, name: a}\n  - {type: secret, name: b, schema: "sha256:0"}\nvariables:\n  - name: a\n    value: !secret A',
      'stdin:9: variables[0].value: Only the data of a block document can have secrets.',
    ],
    [
      'blocks without a type or schema',
      'version: 1\nblock_types:\n  - slug: new\nblock_documents:\n  - {type: nothing, name: a}\n  - {type: secret, name: b, schema: "sha256:0"}',
      'stdin:3: block_types[0]: Missing key "name": the server has no block type "new" yet.',
      'stdin:5: block_documents[0].type: Neither the file nor the server has a block type "nothing" with a schema.',
      'stdin:6: block_documents[1].schema: Neither the file nor the server has the schema sha256:0 of the block type "secret".',
    ],
  ])('is rejected as a whole: %s', async (_name, text, ...problems) => {
    const { code, stdout, stderr } = await importText(`${text}\n`)
    expect([code, stdout]).toEqual([1, ''])
    const lines = stderr.trimEnd().split('\n')
    expect(lines[0]).toBe(`Error: Cannot import: ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}. Nothing was changed.`)
    expect(lines.slice(1).map((line, index) => line.trim().slice(0, problems[index]?.length))).toEqual(problems)
    expect(await allRows(server.app)).toBe(before)
  })
})

test('the plan is data with -o json, and numbers keep their spelling', async () => {
  const text = 'version: 1\nvariables:\n  - name: plan\n    value: {"2": 1.0, "1": 12345678901234567890}\n'
  const { stdout } = await importText(text, ['--dry-run', '-o', 'json'])
  expect(JSON.parse(stdout)).toEqual({
    dry_run: true,
    summary: { create: 1, change: 0, delete: 0, unchanged: 0 },
    notes: [],
    changes: [
      {
        action: 'create',
        kind: 'variables',
        name: 'plan',
        status: 'planned',
        fields: [{ op: 'add', path: 'value', after: { 1: Number('12345678901234567890'), 2: 1 } }],
      },
    ],
  })
  expect(stdout.replaceAll(/\s/g, '')).toContain('"after":{"2":1.0,"1":12345678901234567890}')
  expect(JSON.parse((await importText(text, ['-o', 'json'])).stdout)).toMatchObject({ dry_run: false, changes: [{ status: 'done' }] })
  const changed = text.replace('1.0', '2.0')
  expect((await importText(changed, ['-o', 'yaml'])).stdout).toContain(
    '      - op: change\n        path: value.2\n        before: 1.0\n        after: 2.0',
  )
  expect(JSON.parse((await importText(changed, ['-o', 'json'])).stdout)).toMatchObject({ summary: { unchanged: 1 }, changes: [] })
})

test('the diff has colours on a terminal', async () => {
  let stdout = ''
  const io = {
    stdout: { isTTY: true, columns: 80, write: (text: string) => (stdout += text) },
    stderr: { write: () => true },
    stdin: Object.assign(new PassThrough(), { isTTY: false }),
    env: { HOME: '/nonexistent', TERM: 'xterm' },
    signal: new AbortController().signal,
  }
  io.stdin.end('version: 1\nvariables: [{name: colour, value: 1}]\n')
  expect(await run(['--server', server.url, 'import', '-', '--dry-run'], io)).toBe(0)
  expect(stdout).toContain('\u001b[32m+ variable \u001b[1mcolour')
})

describe('errors of the server', () => {
  test('do not stop what can be applied, and a second run continues', async () => {
    const text = `version: 1
work_pools:
  - name: prefect-reserved
    type: process
  - name: good
    type: process
work_queues:
  - {work_pool: prefect-reserved, name: a}
  - {work_pool: good, name: a}
variables:
  - {name: fine, value: 1}
  - name: large
    value: ${'x'.repeat(6000)}
deployments:
  - {flow: f, name: bad, work_pool: prefect-reserved}
  - {flow: f, name: good, work_pool: good}
`
    const { code, stdout, stderr } = await importText(text, ['--prune', '--yes'], {}, other)
    expect(code).toBe(1)
    expect(stdout).toContain('+ variable fine')
    const lines = stderr.trimEnd().split('\n')
    expect(lines[0]).toBe('Error: The server rejected 4 of 8 changes.')
    expect(lines.slice(1, 5).map((line) => line.slice(0, 60))).toEqual([
      expect.stringMatching(/^ {2}failed: create work pool "prefect-reserved": /),
      expect.stringMatching(/^ {2}failed: create work queue "prefect-reserved\/a": /),
      expect.stringMatching(/^ {2}failed: create variable "large": /),
      expect.stringMatching(/^ {2}failed: create deployment "f\/bad": /),
    ])
    expect(lines.at(-1)).toBe('4 changes were applied. Run the command again to continue.')
    const again = await importText(text, [], {}, other)
    expect(again.stderr).toContain('The server rejected 4 of 4 changes.')
    const corrected = text.replaceAll('prefect-reserved', 'other').replace('x'.repeat(6000), 'small')
    expect(await importText(corrected, [], {}, other)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('4 created, 0 changed, 0 deleted, 4 unchanged.'),
    })
  })

  test('report a name that several automations have', async () => {
    const trigger = '{posture: Reactive, expect: [x]}'
    const twins = `version: 1\nautomations:\n  - {name: twin, trigger: ${trigger}}\n  - {name: twin, trigger: ${trigger}, enabled: false}\n`
    expect(await importText(twins, [], {}, other)).toMatchObject({ code: 0 })
    expect(await importText(twins, [], {}, other)).toMatchObject({ stdout: 'No changes. 2 unchanged.\n' })
    const { stderr } = await importText(
      `${twins}  - {name: third, trigger: ${trigger}, actions: [{type: pause-automation, automation: twin}]}\n`,
      [],
      {},
      other,
    )
    expect(stderr).toContain('failed: create automation "third": Several automations have the name "twin".')
  })

  test('stop the import when the server cannot be reached, and say what was applied', async () => {
    const text = `version: 1\nvariables:\n${Array.from({ length: 30 }, (_, index) => `  - {name: v${index}, value: ${index}}\n`).join('')}`
    let posts = 0
    const proxy = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', async () => {
        if (request.method === 'POST' && request.url === '/api/variables/' && ++posts > 10) return request.socket.destroy()
        const answer = await fetch(`${other.url}${request.url?.slice(4)}`, {
          method: request.method as string,
          headers: { 'content-type': 'application/json' },
          ...(request.method === 'GET' ? {} : { body: Buffer.concat(chunks) }),
        })
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(Buffer.from(await answer.arrayBuffer()))
      })
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const { port } = proxy.address() as { port: number }
    const { code, stderr } = await runCli(['--server', `http://127.0.0.1:${port}`, 'import', '-'], { stdin: text })
    proxy.close()
    expect(code).toBe(24)
    expect(stderr).toMatch(/^Error: The import stopped: Cannot reach .*\n/)
    expect(stderr).toContain('10 changes were applied. Run the command again to continue.')
    expect(stderr).toMatch(/\n {2}not applied: create variable "v2\d"/)
    expect(await importText(text, [], {}, other)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('20 created, 0 changed, 0 deleted, 10 unchanged.'),
    })
  })
})

test('lists of more than one page are complete', async () => {
  const variables = Array.from({ length: 300 }, (_, index) => `  - {name: many-${index}, value: ${index}}\n`).join('')
  const deployments = Array.from({ length: 210 }, (_, index) => `  - {flow: many, name: many-${index}, tags: [t${index}]}\n`).join('')
  const { code, stdout } = await importText(`version: 1\nvariables:\n${variables}deployments:\n${deployments}`)
  expect([code, stdout.split('\n').at(-2)]).toEqual([0, '510 created, 0 changed, 0 deleted, 0 unchanged.'])
  const text = await exportText(server, 'variables', 'deployments')
  expect(text.match(/name: many-/g)).toHaveLength(510)
  expect(await importText(text, ['--prune'])).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes.') })
})

test('queues get the priorities of the file, whatever is there', async () => {
  for (const name of ['a', 'b', 'c']) await send(server.app, 'POST', '/work_pools/k8s/queues', { name })
  const priorities = async () =>
    Object.fromEntries(
      (await send(server.app, 'POST', '/work_pools/k8s/queues/filter', {})).map((queue: { name: string; priority: number }) => [
        queue.name,
        queue.priority,
      ]),
    )
  expect(await priorities()).toEqual({ default: 1, a: 2, b: 3, c: 4 })
  const file = (order: Record<string, number>) =>
    `version: 1\nwork_queues:\n${Object.entries(order)
      .map(([name, priority]) => `  - {work_pool: k8s, name: ${name}, priority: ${priority}}\n`)
      .join('')}`
  // d moves b, which the file does not have, and b would move c.
  expect(await importText(file({ a: 2, d: 3, c: 4 }))).toMatchObject({ code: 0 })
  expect(await priorities()).toMatchObject({ a: 2, d: 3, c: 4 })
  expect(await importText(file({ c: 1, d: 2, a: 3, default: 7 }))).toMatchObject({ code: 0 })
  expect(await priorities()).toMatchObject({ c: 1, d: 2, a: 3, default: 7 })
  expect((await importText(file({ c: 1, d: 2, a: 3 }))).stdout).toMatch(/^No changes\./)
  expect((await importText('version: 1\nwork_queues: [{work_pool: k8s, name: c}]')).stdout).toMatch(/^No changes\./)
})

test('a file may leave things to the server', async () => {
  const text = `version: 1
work_pools: [{name: free}]
deployments:
  - flow: free
    name: a
    schedules: [{interval: 60}, {interval: 60, slug: x}, {rrule: FREQ=DAILY}]
    work_pool: free
`
  expect(await importText(text)).toMatchObject({ code: 0 })
  await send(server.app, 'PATCH', '/work_pools/free', {
    base_job_template: { job_configuration: { a: '{{ b }}' }, variables: { type: 'object', properties: { b: {} } } },
  })
  expect((await importText(text)).stdout).toMatch(/^No changes\./)
})

test('labels of an existing flow are left alone, with a note', async () => {
  await send(server.app, 'POST', '/flows/', { name: 'labelled', labels: { a: 1 } })
  const { code, stdout, stderr } = await importText('version: 1\nflows: [{name: labelled, labels: {b: 2}}]\n')
  expect([code, stdout]).toEqual([0, 'No changes. 1 unchanged.\n'])
  expect(stderr).toBe('Note: The labels of the flow "labelled" differ. The server cannot change labels of an existing flow.\n')
})

describe('secrets', () => {
  let folder: string
  let masked: string
  const file = (secret: string) => `version: 1
block_documents:
  - type: secret
    name: key
    data:
      value: ${secret}
`
  beforeAll(async () => {
    folder = newFolder('transfer-')
    await send(other.app, 'POST', '/block_types/install_system_block_types')
    expect(await importText(file('first-secret'))).toMatchObject({ code: 0 })
    masked = await exportText(server, 'block-documents')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const storedSecret = async (from: CliTestServer) =>
    (await send(from.app, 'GET', '/block_types/slug/secret/block_documents/name/key?include_secrets=true')).data.value

  test('are placeholders, which keep the secret of an existing document', async () => {
    expect(masked).toContain('      value: !secret SECRET_KEY_VALUE\n')
    expect(await importText(masked)).toMatchObject({ code: 0, stdout: 'No changes. 1 unchanged.\n' })
    const changed = masked.replace('data:\n', 'data:\n      more: 1\n')
    expect(await importText(changed)).toMatchObject({ code: 0, stdout: expect.stringContaining('    + data.more: 1\n') })
    expect(await storedSecret(server)).toBe('first-secret')
    expect(await importText(masked)).toMatchObject({ code: 0, stdout: expect.stringContaining('    - data.more: 1\n') })
    expect(await storedSecret(server)).toBe('first-secret')
  })

  test('need a value for a new document', async () => {
    const { code, stdout, stderr } = await importText(masked, [], {}, other)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /stdin:\d: block_documents\[0\]\.data: The secret SECRET_KEY_VALUE has no value\. Set the environment variable SECRET_KEY_VALUE, or pass a file with --secrets\./,
    )
    const dryRun = await importText(masked, ['--dry-run'], {}, other)
    expect(dryRun).toMatchObject({ code: 0, stderr: 'Note: The secret SECRET_KEY_VALUE has no value yet.\n' })
    expect(dryRun.stdout).toContain('+ block document secret/key\n')
  })

  test('are taken from the environment or from a file', async () => {
    expect(await importText(masked, [], { SECRET_KEY_VALUE: 'from env' }, other)).toMatchObject({ code: 0 })
    expect(await storedSecret(other)).toBe('from env')
    expect(await importText(masked, [], { SECRET_KEY_VALUE: 'from env' }, other)).toMatchObject({ stdout: 'No changes. 1 unchanged.\n' })
    const path = join(folder, 'secrets.yaml')
    writeFileSync(path, 'SECRET_KEY_VALUE: {user: a, "1": 2.0}\n')
    const changed = await importText(masked, ['--secrets', path], { SECRET_KEY_VALUE: 'from env' }, other)
    expect(changed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^~ block document secret\/key\n {4}~ data\.value: "\*+" → "\*+"\n/) })
    expect(await storedSecret(other)).toEqual({ user: 'a', 1: 2 })
    expect(await importText(masked, ['--secrets', path], {}, other)).toMatchObject({ stdout: 'No changes. 1 unchanged.\n' })
    expect(await exportText(other, 'block-documents', '--include-secrets')).toContain('user: a\n        "1": 2.0\n')
    writeFileSync(path, '- a')
    expect(await importText(masked, ['--secrets', path], {}, other)).toMatchObject({ code: 1, stderr: expect.stringContaining('must be a mapping') })
  })

  test('are asked for on a terminal, without showing them', async () => {
    await send(other.app, 'DELETE', `/block_documents/${(await send(other.app, 'GET', '/block_types/slug/secret/block_documents/name/key')).id}`)
    const path = join(folder, 'masked.yaml')
    writeFileSync(path, masked)
    let shown = ''
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
    const write = (text: string) => {
      shown += text
      if (text.includes('SECRET_KEY_VALUE: ')) stdin.write('typed secret\n')
      return true
    }
    const io = {
      stdout: { write },
      stderr: { isTTY: true, columns: 80, write },
      stdin,
      env: { HOME: '/nonexistent', NO_COLOR: '1' },
      signal: new AbortController().signal,
    }
    expect(await run(['--server', other.url, 'import', path], io)).toBe(0)
    expect(shown).toContain('Secret SECRET_KEY_VALUE: ')
    expect(shown).not.toContain('typed')
    expect(await storedSecret(other)).toBe('typed secret')
  })

  test('change when the file has another value', async () => {
    const result = await importText(file('second-secret'))
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('1 changed') })
    expect(result.stdout).not.toContain('secret"')
    expect(await storedSecret(server)).toBe('second-secret')
    expect(await importText(file('second-secret'))).toMatchObject({ stdout: 'No changes. 1 unchanged.\n' })
  })
})

test('any JSON survives as a variable and as parameters', async () => {
  // NUL and lone surrogates are rejected by the server.
  const text = fc.string({ unit: 'grapheme' }).filter((each) => !each.includes('\u0000'))
  const key = fc.oneof(text, fc.nat(30).map(String))
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => JSON.stringify(each)),
    fc.bigInt().map(String),
    fc.constantFrom('1.0', '1e3', '-0', '0.10'),
  )
  const { json } = fc.letrec<{ json: string; list: string; object: string }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      number,
      text.map((each) => JSON.stringify(each)),
      fc.constantFrom('true', 'false', 'null'),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('json'), { maxLength: 4 }).map((all) => `[${all.join(',')}]`),
    object: fc
      .uniqueArray(fc.tuple(key, tie('json')), { maxLength: 4, selector: ([name]) => name })
      .map((all) => `{${all.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
  }))
  const values = fc.sample(json, { numRuns: 60, seed: 15 })
  const flow = (await send(server.app, 'POST', '/flows/', { name: 'property' })).id
  for (const [index, value] of values.entries()) {
    await send(server.app, 'POST', '/variables/', `{"name":"any-${index}","value":${value}}`)
    await send(server.app, 'POST', '/deployments/', `{"name":"any-${index}","flow_id":"${flow}","parameters":{"value":${value}}}`)
  }
  const exported = await exportText(server, 'variables', 'deployments')
  const wanted = exported.replaceAll(/^ {4}work_(?:pool|queue): .*\n/gm, '')
  expect(await importText(wanted, [], {}, other)).toMatchObject({ code: 0, stderr: '' })
  const raw = async (from: CliTestServer, path: string) => (await from.app.server.inject({ method: 'GET', url: path })).body
  for (const [index, value] of values.entries()) {
    expect(await raw(other, `/variables/name/any-${index}`)).toContain(`"value":${value},"tags"`)
    expect(await raw(other, `/deployments/name/property/any-${index}`)).toContain(`"parameters":{"value":${value}},`)
  }
  expect(await importText(wanted, [], {}, other)).toMatchObject({ stdout: expect.stringMatching(/^No changes\./) })
})
