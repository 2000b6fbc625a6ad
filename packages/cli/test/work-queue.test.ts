import { beforeAll, describe, expect, test } from 'vitest'
import { cliServer, runCli } from './cli-test.ts'
import { screen, setClockMinutesAgo } from './readable-output.ts'

const server = cliServer()
setClockMinutesAgo(server, 3)

const millrace = async (...argv: string[]): Promise<string> => screen(await server.millrace(...argv))
const post = async (path: string, body: object) => (await server.app.call('POST', path, body)).body

beforeAll(async () => {
  await post('/work_pools/', { name: 'k8s', type: 'kubernetes' })
  await post('/work_pools/', { name: 'local', type: 'process' })
  await post('/work_pools/k8s/queues', { name: 'urgent', priority: 1, concurrency_limit: 1, description: 'For people who wait' })
  const flow = await post('/flows/', { name: 'etl' })
  const inQueue = { flow_id: flow.id, work_pool_name: 'k8s', work_queue_name: 'urgent' }
  await post('/flow_runs/', { ...inQueue, name: 'holds-a-slot', state: { type: 'RUNNING' } })
  const scheduled_time = new Date(Date.now() - 500_000).toISOString()
  await post('/flow_runs/', { ...inQueue, name: 'is-due', state: { type: 'SCHEDULED', state_details: { scheduled_time } } })
  await post('/work_pools/local/get_scheduled_flow_runs', {})
})

describe('work-queue ls', () => {
  test('shows the queues of all pools by priority', async () => {
    expect(await millrace('work-queue', 'ls')).toMatchInlineSnapshot(`
      "POOL   NAME     PRIORITY  STATUS     IN USE  LIMIT  LAST POLLED
      k8s    urgent          1  NOT_READY       1      1
      k8s    default         2  NOT_READY       0   none
      local  default         1  READY           0   none  3m ago"
    `)
  })

  test('shows those of one pool, with descriptions', async () => {
    expect(await millrace('work-queue', 'ls', '--pool', 'k8s', '-o', 'wide')).toMatchInlineSnapshot(`
      "POOL  NAME     PRIORITY  STATUS     IN USE  LIMIT  LAST POLLED  DESCRIPTION                     ID
      k8s   urgent          1  NOT_READY       1      1               For people who wait             <id>
      k8s   default         2  NOT_READY       0   none               The work pool's default queue.  <id>"
    `)
    expect(await millrace('work-queue', 'ls', '--pool', 'k8s', '--name', 'x')).toBe('No work queues.')
  })

  test('fits a narrow terminal', async () => {
    expect(screen(await runCli(['--server', server.url, 'work-queue', 'ls'], { columns: 64 }))).toMatchInlineSnapshot(`
      "POOL   NAME     PRIORITY  STATUS     IN USE  LIMIT  LAST POLLED
      k8s    urgent          1  NOT_READY       1      1
      k8s    default         2  NOT_READY       0   none
      local  default         1  READY           0   none  3m ago"
    `)
  })

  test('prints the objects of the API as JSON', async () => {
    const { body } = await server.app.call('POST', '/work_pools/k8s/queues/filter', {})
    expect(await server.json('work-queue', 'ls', '--pool', 'k8s')).toEqual(body)
    expect(await server.json('work-queue', 'ls', '--name', 'urg')).toMatchObject([{ name: 'urgent' }])
  })
})

describe('work-queue inspect', () => {
  test('shows health and the runs that hold slots', async () => {
    expect(await millrace('work-queue', 'inspect', 'k8s/urgent')).toMatchInlineSnapshot(`
      "NAME         urgent
      POOL         k8s
      PRIORITY     1
      STATUS       NOT_READY
      IN USE       1
      LIMIT        1
      LATE RUNS    0
      DESCRIPTION  For people who wait
      LAST POLLED
      CREATED      <time>
      UPDATED      <time>
      ID           <id>

      Runs that hold slots
      NAME          STATE    IN STATE FOR  ID
      holds-a-slot  Running  0s            <id>"
    `)
  })

  test('finds a queue by id, by pool option and by a unique name', async () => {
    const queue = await server.json('work-queue', 'inspect', 'k8s/urgent')
    expect(await server.json('work-queue', 'inspect', 'urgent')).toEqual(queue)
    expect(await server.json('work-queue', 'inspect', 'urgent', '--pool', 'k8s')).toEqual(queue)
    expect(await server.json('work-queue', 'inspect', queue.id)).toEqual(queue)
  })

  test('ends with exit code 26 if several pools have the name', async () => {
    expect(await millrace('work-queue', 'inspect', 'default')).toMatchInlineSnapshot(`
      "exit code 26
      Error: Work queue "default" is ambiguous. Name the pool:
        k8s/default
        local/default"
    `)
  })

  test('ends with exit code 25 if there is no such queue or pool', async () => {
    expect(await millrace('work-queue', 'inspect', 'none')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Work queue "none" not found. \`millrace work-queue ls\` shows what there is."
    `)
    expect(await millrace('work-queue', 'inspect', 'k8s/none')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Work queue "k8s/none" not found. \`millrace work-queue ls --pool k8s\` shows what there is."
    `)
    expect(await millrace('work-queue', 'inspect', 'none/default')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Work pool "none" not found. \`millrace work-pool ls\` shows what there is."
    `)
    expect(await millrace('work-queue', 'inspect', 'k8s/')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Work queue "k8s/" not found. \`millrace work-queue ls --pool k8s\` shows what there is."
    `)
    expect(await millrace('work-queue', 'ls', '--pool', 'none')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Work pool "none" not found. \`millrace work-pool ls\` shows what there is."
    `)
  })

  test('rejects two different pools', async () => {
    expect(await millrace('work-queue', 'inspect', 'k8s/urgent', '--pool', 'local')).toMatchInlineSnapshot(`
      "exit code 2
      Error: "k8s/urgent" names pool "k8s", but --pool is "local"."
    `)
  })
})

describe('work-queue preview', () => {
  test('shows only the runs of the queue', async () => {
    expect(await millrace('work-queue', 'preview', 'k8s/urgent')).toMatchInlineSnapshot(`
      "SCHEDULED  NAME    QUEUE   WAITS FOR
      8m ago     is-due  urgent  queue slot"
    `)
    expect(await server.json('work-queue', 'preview', 'default', '--pool', 'k8s')).toEqual([])
  })

  test('names a pause of the queue', async () => {
    await millrace('work-queue', 'pause', 'k8s/urgent')
    expect(await server.json('work-queue', 'preview', 'urgent')).toMatchObject([{ waits_for: 'resume of queue', flow_run: { name: 'is-due' } }])
    await millrace('work-queue', 'resume', 'k8s/urgent')
  })
})

describe('work-queue create', () => {
  test('creates a queue at a priority, paused and limited', async () => {
    expect(await millrace('work-queue', 'create', 'k8s/batch', '--limit', '5', '--paused', '--description', 'At night')).toMatchInlineSnapshot(
      `"Created work queue "batch" of work pool "k8s" with priority 3."`,
    )
    expect(await server.json('work-queue', 'create', 'first', '--pool', 'k8s', '--priority', '1')).toMatchObject({ name: 'first', priority: 1 })
    expect(await millrace('work-queue', 'ls', '--pool', 'k8s')).toMatchInlineSnapshot(`
      "POOL  NAME     PRIORITY  STATUS     IN USE  LIMIT  LAST POLLED
      k8s   first           1  NOT_READY       0   none
      k8s   urgent          2  NOT_READY       1      1
      k8s   default         3  NOT_READY       0   none
      k8s   batch           4  PAUSED          0      5"
    `)
  })

  test('needs a pool, and rejects a name that exists', async () => {
    expect(await millrace('work-queue', 'create', 'alone')).toMatchInlineSnapshot(`
      "exit code 2
      Error: "alone" does not name a pool. Write POOL/QUEUE, or give --pool."
    `)
    expect(await millrace('work-queue', 'create', 'k8s/urgent')).toMatchInlineSnapshot(`
      "exit code 1
      Error: A work queue named "urgent" already exists in work pool "k8s" (request <id>)"
    `)
    expect(await millrace('work-queue', 'create', 'none/urgent')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Work pool "none" not found. \`millrace work-pool ls\` shows what there is."
    `)
    expect(await millrace('work-queue', 'create', 'k8s/a>b')).toMatchInlineSnapshot(`
      "exit code 2
      Error: "a>b" is not the name of a queue. A name cannot contain / % & < or >."
    `)
    expect(await server.millrace('work-queue', 'create', 'k8s/new', '--priority', '0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least 1'),
    })
  })
})

describe('changes of a work queue', () => {
  test('are printed as text and as the changed queue', async () => {
    expect(await millrace('work-queue', 'pause', 'k8s/batch')).toBe('Paused work queue "batch" of work pool "k8s".')
    expect(await millrace('work-queue', 'resume', 'k8s/batch')).toBe('Resumed work queue "batch" of work pool "k8s".')
    expect(await server.json('work-queue', 'set-limit', 'k8s/batch', '7')).toMatchObject({ concurrency_limit: 7, is_paused: false })
    expect(await millrace('work-queue', 'set-limit', 'batch', '1', '--pool', 'k8s')).toBe(
      'Limited work queue "batch" of work pool "k8s" to 1 run at a time.',
    )
    expect(await millrace('work-queue', 'clear-limit', 'k8s/batch')).toBe('Removed the limit of work queue "batch" of work pool "k8s".')
    expect(await millrace('work-queue', 'update', 'k8s/batch', '--name', 'night', '--priority', '1', '--description', 'Later')).toBe(
      'Changed work queue "batch" of work pool "k8s".',
    )
    expect(await server.json('work-queue', 'inspect', 'k8s/night')).toMatchObject({ priority: 1, description: 'Later', concurrency_limit: null })
  })

  test('need something to change', async () => {
    expect(await millrace('work-queue', 'update', 'k8s/urgent')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Nothing to change. Give --name, --priority, --limit or --description."
    `)
  })
})

describe('work-queue delete', () => {
  test('says what loses its queue, and needs --yes without a terminal', async () => {
    expect(await millrace('work-queue', 'delete', 'k8s/urgent')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Delete work queue "urgent" of work pool "k8s"? 1 scheduled run will have no queue. Confirm with --yes: there is no terminal to ask."
    `)
  })

  test('deletes the queue, but not the default one', async () => {
    expect(await millrace('work-queue', 'delete', 'k8s/urgent', '--yes')).toBe('Deleted work queue "urgent" of work pool "k8s".')
    expect(await server.json('work-queue', 'delete', 'k8s/first', '-y')).toMatchObject({ name: 'first' })
    expect(await millrace('work-queue', 'delete', 'k8s/default', '--yes')).toMatchInlineSnapshot(`
      "exit code 1
      Error: Cannot delete the default queue of work pool "k8s". Delete the pool instead. (request <id>)"
    `)
  })
})
