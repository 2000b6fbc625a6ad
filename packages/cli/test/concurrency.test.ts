import { beforeAll, describe, expect, test } from 'vitest'
import { cliServer, runCli } from './cli-test.ts'
import { screen, setClockMinutesAgo } from './readable-output.ts'

const server = cliServer()
setClockMinutesAgo(server, 3)

const millrace = async (...argv: string[]): Promise<string> => screen(await server.millrace(...argv))
const post = async (path: string, body: object) => (await server.app.call('POST', path, body)).body
const acquire = (body: object) => post('/v2/concurrency_limits/increment-with-lease', { slots: 1, lease_duration: 3620, ...body })

let deploymentLimit: string

beforeAll(async () => {
  await post('/v2/concurrency_limits/', { name: 'database', limit: 3 })
  await post('/v2/concurrency_limits/', { name: 'mail', limit: 100, slot_decay_per_second: 1.5, active: false })
  await post('/concurrency_limits/', { tag: 'gpu', concurrency_limit: 1 })
  const flow = await post('/flows/', { name: 'etl' })
  const run = await post('/flow_runs/', { name: 'loader', flow_id: flow.id, state: { type: 'RUNNING' } })
  const task = await post('/task_runs/', { name: 'train', flow_run_id: run.id, task_key: 'train', dynamic_key: '0', tags: ['gpu'] })
  const deployment = await post('/deployments/', { name: 'daily', flow_id: flow.id, concurrency_limit: 4 })
  deploymentLimit = `deployment:${deployment.id}`
  await acquire({ names: ['database'], slots: 2, holder: { type: 'flow_run', id: run.id } })
  await post('/v2/concurrency_limits/increment', { names: ['database'], slots: 1 })
  await acquire({ names: ['database'], slots: 1, holder: { type: 'task_run', id: task.id } })
  await post('/concurrency_limits/increment', { names: ['gpu'], task_run_id: task.id })
})

describe('concurrency ls', () => {
  test('shows all kinds of limits in one list', async () => {
    expect(await millrace('concurrency', 'ls')).toMatchInlineSnapshot(`
      "NAME                                             KIND        STATUS    IN USE  LIMIT  DECAY
      database                                         global      ENABLED        3      3
      deployment:<id>  deployment  ENABLED        0      4
      mail                                             global      DISABLED       0    100  1.5/s
      tag:gpu                                          tag         ENABLED        1      1"
    `)
  })

  test('narrows by kind and number', async () => {
    expect(await server.json('concurrency', 'ls', '--kind', 'tag')).toMatchObject([{ name: 'tag:gpu', active_slots: 1, limit: 1 }])
    expect(await server.json('concurrency', 'ls', '--kind', 'deployment')).toMatchObject([{ name: deploymentLimit }])
    expect(await millrace('concurrency', 'ls', '--kind', 'global', '--limit', '1')).toMatchInlineSnapshot(`
      "NAME      KIND    STATUS   IN USE  LIMIT  DECAY
      database  global  ENABLED       3      3
      There are more than 1. Use --limit to see them."
    `)
    expect(await server.json('concurrency', 'ls')).toEqual((await server.app.call('POST', '/v2/concurrency_limits/filter', {})).body)
  })

  test('fits a narrow terminal', async () => {
    expect(
      screen(await runCli(['--server', server.url, 'concurrency', 'ls', '-o', 'table'], { columns: 62 })).replace(/deployment:\S+/, 'deployment:…'),
    ).toMatchInlineSnapshot(`
      "NAME                KIND        STATUS    IN USE  LIMIT  DECAY
      database            global      ENABLED        3      3
      deployment:…  deployment  ENABLED        0      4
      mail                global      DISABLED       0    100  1.5/s
      tag:gpu             tag         ENABLED        1      1"
    `)
  })
})

describe('concurrency inspect and holders', () => {
  test('show the limit, its holders and its waiters', async () => {
    expect(await millrace('concurrency', 'inspect', 'database')).toMatchInlineSnapshot(`
      "NAME     database
      KIND     global
      STATUS   ENABLED
      IN USE   3
      LIMIT    3
      DECAY
      HOLDERS  2
      WAITERS  1
      CREATED  <time>
      UPDATED  <time>
      ID       <id>"
    `)
    expect(await millrace('concurrency', 'holders', 'database')).toMatchInlineSnapshot(`
      "3 of 3 slots in use, 1 waiting

      Holders
      HOLDER       KIND      SLOTS  SINCE   EXPIRES
      loader       flow run      2  3m ago  in 56m
      (anonymous)                1  3m ago

      Waiters
      WAITER  KIND      SLOTS  SINCE   NEXT TRY
      train   task run      1  3m ago  3m ago"
    `)
    expect(await millrace('concurrency', 'holders', 'database', '-o', 'wide')).toMatchInlineSnapshot(`
      "3 of 3 slots in use, 1 waiting

      Holders
      HOLDER       KIND      SLOTS  SINCE   EXPIRES  ID                                    FLOW RUN ID
      loader       flow run      2  3m ago  in 56m   <id>  <id>
      (anonymous)                1  3m ago

      Waiters
      WAITER  KIND      SLOTS  SINCE   NEXT TRY  ID                                    FLOW RUN ID
      train   task run      1  3m ago  3m ago    <id>  <id>"
    `)
    expect(await millrace('concurrency', 'holders', 'tag:gpu')).toMatchInlineSnapshot(`
      "1 of 1 slots in use, 0 waiting

      Holders
      HOLDER  KIND      SLOTS  SINCE   EXPIRES
      train   task run      1  3m ago"
    `)
    expect(await millrace('concurrency', 'holders', 'mail')).toMatchInlineSnapshot(`"0 of 100 slots in use, 0 waiting"`)
  })

  test('print the objects of the API as JSON', async () => {
    const limit = (await server.app.call('GET', '/v2/concurrency_limits/database')).body
    expect(await server.json('concurrency', 'inspect', 'database')).toEqual(limit)
    expect(await server.json('concurrency', 'inspect', limit.id)).toEqual(limit)
    expect(await server.json('concurrency', 'holders', 'database')).toEqual(
      (await server.app.call('GET', '/v2/concurrency_limits/database/holders')).body,
    )
  })

  test('suggest the limit of a tag', async () => {
    expect(await millrace('concurrency', 'inspect', 'gpu')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Concurrency limit "gpu" not found. Did you mean "tag:gpu"?"
    `)
    expect(await millrace('concurrency', 'inspect', 'none')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Concurrency limit "none" not found. \`millrace concurrency ls\` shows what there is."
    `)
  })
})

describe('concurrency create', () => {
  test('creates a limit, a rate limit and a limit of a tag', async () => {
    expect(await millrace('concurrency', 'create', 'api', '--limit', '1')).toBe('Created concurrency limit "api" with 1 slot.')
    expect(await server.json('concurrency', 'create', 'sms', '-l', '10', '--decay', '0.5', '--disabled')).toMatchObject({
      limit: 10,
      slot_decay_per_second: 0.5,
      active: false,
    })
    expect(await millrace('concurrency', 'create', 'tag:a/b', '--limit', '2', '--disabled')).toBe('Created concurrency limit "tag:a/b" with 2 slots.')
    expect(await server.json('concurrency', 'inspect', 'tag:a/b')).toMatchObject({ limit: 2, active: false })
  })

  test('rejects a limit that exists and values that are none', async () => {
    expect(await millrace('concurrency', 'create', 'api', '--limit', '2')).toMatchInlineSnapshot(`
      "exit code 1
      Error: A concurrency limit by the name api already exists (request <id>)"
    `)
    expect(await millrace('concurrency', 'create', 'tag:gpu', '--limit', '2')).toMatchInlineSnapshot(`
      "exit code 1
      Error: A concurrency limit by the name tag:gpu already exists. Change it with \`millrace concurrency update\`."
    `)
    expect(await server.millrace('concurrency', 'create', 'tag:', '--limit', '2')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not name a tag'),
    })
    expect(await server.millrace('concurrency', 'create', 'a/b', '--limit', '2')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot contain /'),
    })
    expect(await server.millrace('concurrency', 'create', 'new')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'-l, --limit <n>' not specified"),
    })
    expect(await server.millrace('concurrency', 'create', 'new', '-l', '1', '--decay', '-1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least 0'),
    })
  })
})

describe('changes of a concurrency limit', () => {
  test('are printed as text and as the changed limit', async () => {
    expect(await millrace('concurrency', 'update', 'api', '--limit', '5', '--decay', '2')).toBe('Changed concurrency limit "api".')
    expect(await millrace('concurrency', 'disable', 'api')).toBe('Disabled concurrency limit "api".')
    expect(await server.json('concurrency', 'inspect', 'api')).toMatchObject({ limit: 5, slot_decay_per_second: 2, active: false })
    expect(await millrace('concurrency', 'enable', 'api')).toBe('Enabled concurrency limit "api".')
    expect(await server.json('concurrency', 'update', 'api', '--name', 'rest', '--decay', '0')).toMatchObject({ name: 'rest', active: true })
    expect(await millrace('concurrency', 'update', 'rest')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Nothing to change. Give --limit, --decay or --name."
    `)
    expect(await millrace('concurrency', 'update', 'rest', '--name', 'database')).toMatchInlineSnapshot(`
      "exit code 1
      Error: A concurrency limit by the name database already exists (request <id>)"
    `)
  })
})

describe('concurrency reset', () => {
  test('frees the slots of a limit', async () => {
    expect(await millrace('concurrency', 'reset', 'database')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Free 3 slots of concurrency limit "database"? Their holders go on without a slot. Confirm with --yes: there is no terminal to ask."
    `)
    expect(await millrace('concurrency', 'reset', 'database', '--yes')).toBe('Freed 3 slots of concurrency limit "database".')
    expect(await server.json('concurrency', 'inspect', 'database')).toMatchObject({ active_slots: 0 })
  })

  test('ends the leases of a tag', async () => {
    expect(await server.json('concurrency', 'reset', 'tag:gpu', '--yes')).toMatchObject({ name: 'tag:gpu', active_slots: 0 })
    expect(await server.json('concurrency', 'holders', 'tag:gpu')).toMatchObject({ holder_count: 0 })
  })
})

describe('concurrency delete', () => {
  test('says who holds slots, and needs --yes without a terminal', async () => {
    await acquire({ names: ['rest'], slots: 1 })
    expect(await millrace('concurrency', 'delete', 'rest')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Delete concurrency limit "rest"? It has 1 holder, which it will not limit any more. Confirm with --yes: there is no terminal to ask."
    `)
    expect(await millrace('concurrency', 'delete', 'rest', '--yes')).toBe('Deleted concurrency limit "rest".')
    expect(await server.json('concurrency', 'delete', 'tag:a/b', '-y')).toMatchObject({ name: 'tag:a/b' })
    expect(await server.json('concurrency', 'ls', '--kind', 'tag')).toMatchObject([{ name: 'tag:gpu' }])
  })
})

test.each([['inspect'], ['holders'], ['update', '--limit', '1'], ['enable'], ['disable'], ['reset', '--yes'], ['delete', '--yes']])(
  'concurrency %s of an unknown limit ends with exit code 25',
  async (command, ...options) => {
    expect(await millrace('concurrency', command, 'none', ...options)).toBe(
      'exit code 25\nError: Concurrency limit "none" not found. `millrace concurrency ls` shows what there is.',
    )
  },
)
