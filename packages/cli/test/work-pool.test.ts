import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../server/test/free-port.ts'
import { cliServer, runCli } from './cli-test.ts'
import { screen, setClockMinutesAgo } from './readable-output.ts'

const server = cliServer()
setClockMinutesAgo(server, 3)
const folder = mkdtempSync(join(tmpdir(), 'millrace-work-pool-'))
afterAll(() => rmSync(folder, { recursive: true }))

const millrace = async (...argv: string[]): Promise<string> => screen(await server.millrace(...argv))
const withInput = (stdin: string, ...argv: string[]) => runCli(['--server', server.url, ...argv], { stdin })
const post = async (path: string, body: object) => (await server.app.call('POST', path, body)).body

beforeAll(async () => {
  await post('/work_pools/', { name: 'k8s', type: 'kubernetes', concurrency_limit: 2, description: 'The cluster in Frankfurt' })
  await post('/work_pools/', { name: 'local', type: 'process' })
  await post('/work_pools/k8s/queues', { name: 'urgent', priority: 1, concurrency_limit: 1 })
  await post('/work_pools/k8s/workers/heartbeat', { name: 'worker-1', heartbeat_interval_seconds: 30 })
  const flow = await post('/flows/', { name: 'etl' })
  const run = (name: string, queue: string, type: string, at: string) =>
    post('/flow_runs/', {
      name,
      flow_id: flow.id,
      work_pool_name: 'k8s',
      work_queue_name: queue,
      state: { type, ...(type === 'SCHEDULED' && { state_details: { scheduled_time: at } }) },
    })
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000 + 20_000).toISOString()
  await run('holds-a-slot', 'urgent', 'RUNNING', '')
  await run('urgent-1', 'urgent', 'SCHEDULED', at(-9))
  await run('default-1', 'default', 'SCHEDULED', at(-8))
  await run('default-2', 'default', 'SCHEDULED', at(-7))
  await run('default-3', 'default', 'SCHEDULED', at(30))
  await run('tomorrow', 'default', 'SCHEDULED', at(1500))
})

describe('work-pool ls', () => {
  test('shows status, slots, queues and workers', async () => {
    expect(await millrace('work-pool', 'ls')).toMatchInlineSnapshot(`
      "NAME   TYPE        STATUS     IN USE  LIMIT  QUEUES  WORKERS
      k8s    kubernetes  READY           1      2       2        1
      local  process     NOT_READY       0   none       1        0"
    `)
    expect(await millrace('work-pool', 'ls', '-o', 'wide')).toMatchInlineSnapshot(`
      "NAME   TYPE        STATUS     IN USE  LIMIT  QUEUES  WORKERS  DESCRIPTION               UPDATED  ID
      k8s    kubernetes  READY           1      2       2        1  The cluster in Frankfurt  3m ago   <id>
      local  process     NOT_READY       0   none       1        0                            3m ago   <id>"
    `)
  })

  test('fits a narrow terminal', async () => {
    const { stdout } = await runCli(['--server', server.url, 'work-pool', 'ls'], { columns: 60 })
    expect(screen({ code: 0, stdout, stderr: '' })).toMatchInlineSnapshot(`
      "NAME   TYPE        STATUS     IN USE  LIMIT  QUEUES  WORKERS
      k8s    kubernetes  READY           1      2       2        1
      local  process     NOT_READY       0   none       1        0"
    `)
  })

  test('prints the objects of the API as JSON and YAML', async () => {
    expect(await server.json('work-pool', 'ls')).toEqual((await server.app.call('POST', '/work_pools/filter', {})).body)
    expect(await server.json('work-pool', 'ls', '--type', 'process')).toMatchObject([{ name: 'local' }])
    expect((await server.millrace('work-pool', 'ls', '--type', 'process', '-o', 'yaml')).stdout).toContain('  name: local\n')
  })

  test('tells if there are more or none', async () => {
    expect(await millrace('work-pool', 'ls', '--limit', '1')).toMatchInlineSnapshot(`
      "NAME  TYPE        STATUS  IN USE  LIMIT  QUEUES  WORKERS
      k8s   kubernetes  READY        1      2       2        1
      There are more than 1. Use --limit to see them."
    `)
    expect(await millrace('work-pool', 'ls', '--type', 'ecs')).toBe('No work pools.')
  })
})

describe('work-pool inspect', () => {
  test('shows queues, workers and runs that hold slots', async () => {
    expect(await millrace('work-pool', 'inspect', 'k8s')).toMatchInlineSnapshot(`
      "NAME            k8s
      TYPE            kubernetes
      STATUS          READY
      IN USE          1
      LIMIT           2
      WORKERS ONLINE  1
      DESCRIPTION     The cluster in Frankfurt
      CREATED         <time>
      UPDATED         <time>
      ID              <id>

      Queues
      NAME     PRIORITY  STATUS     IN USE  LIMIT  LAST POLLED
      urgent          1  NOT_READY       1      1
      default         2  NOT_READY       0   none

      Workers
      NAME      STATUS  LAST HEARTBEAT
      worker-1  ONLINE  3m ago

      Runs that hold slots
      NAME          STATE    IN STATE FOR  ID
      holds-a-slot  Running  0s            <id>"
    `)
  })

  test('shows the base job template with -o wide', async () => {
    expect(await millrace('work-pool', 'inspect', 'local', '-o', 'wide')).toMatchInlineSnapshot(`
      "NAME            local
      TYPE            process
      STATUS          NOT_READY
      IN USE          0
      LIMIT           none
      WORKERS ONLINE  0
      DESCRIPTION
      CREATED         <time>
      UPDATED         <time>
      ID              <id>

      Queues
      NAME     PRIORITY  STATUS     IN USE  LIMIT  LAST POLLED
      default         1  NOT_READY       0   none

      Base job template
      {}"
    `)
  })

  test('prints the object of the API as JSON', async () => {
    expect(await server.json('work-pool', 'inspect', 'k8s')).toEqual((await server.app.call('GET', '/work_pools/k8s')).body)
  })
})

describe('work-pool preview', () => {
  test('shows the runs in the order of a poll and what each waits for', async () => {
    expect(await millrace('work-pool', 'preview', 'k8s')).toMatchInlineSnapshot(`
      "SCHEDULED  NAME       QUEUE    WAITS FOR
      8m ago     urgent-1   urgent   queue slot
      7m ago     default-1  default  worker
      6m ago     default-2  default  pool slot
      in 30m     default-3  default  time"
    `)
    expect(await millrace('work-pool', 'preview', 'k8s', '--within', '2d', '--limit', '5')).toMatchInlineSnapshot(`
      "SCHEDULED  NAME       QUEUE    WAITS FOR
      8m ago     urgent-1   urgent   queue slot
      7m ago     default-1  default  worker
      6m ago     default-2  default  pool slot
      in 30m     default-3  default  time
      in 1d      tomorrow   default  time"
    `)
  })

  test('delivers what it says and has no effect itself', async () => {
    const waitsForWorker = (await server.json('work-pool', 'preview', 'k8s')).filter((run: { waits_for: string }) => run.waits_for === 'worker')
    expect((await server.app.call('GET', '/work_pools/k8s/queues/default')).body.last_polled).toBe(null)
    const polled = await post('/work_pools/k8s/get_scheduled_flow_runs', { scheduled_before: new Date().toISOString() })
    const idsOf = (runs: { flow_run: { id: string } }[]) => runs.map(({ flow_run }) => flow_run.id)
    expect(idsOf(waitsForWorker)).toEqual(idsOf(polled))
  })

  test('names pauses, and the lack of workers', async () => {
    await millrace('work-pool', 'pause', 'k8s')
    expect(await server.json('work-pool', 'preview', 'k8s', '--limit', '1')).toMatchObject([
      { waits_for: 'resume of pool', work_queue_name: 'urgent' },
    ])
    await millrace('work-pool', 'resume', 'k8s')
    await server.app.call('DELETE', '/work_pools/k8s/workers/worker-1')
    expect((await server.millrace('work-pool', 'preview', 'k8s')).stderr).toBe('No worker of work pool "k8s" is online.\n')
    expect(await millrace('work-pool', 'preview', 'local')).toBe('No runs are due within 1h.')
  })

  test('rejects a duration that is none', async () => {
    const { code, stderr } = await server.millrace('work-pool', 'preview', 'k8s', '--within', 'soon')
    expect(code).toBe(2)
    expect(stderr).toContain("'--within <duration>' argument 'soon' is invalid. It is not a duration such as 30s, 5m, 2h, 1d or PT1H.")
  })
})

describe('work-pool create', () => {
  test('gives a pool the template of its type', async () => {
    expect(
      await millrace('work-pool', 'create', 'docker-1', '--type', 'docker', '--limit', '5', '--paused', '--description', 'Images'),
    ).toMatchInlineSnapshot(`"Created work pool "docker-1" of type docker."`)
    const pool = await server.json('work-pool', 'inspect', 'docker-1')
    expect(pool).toMatchObject({ type: 'docker', concurrency_limit: 5, is_paused: true, status: 'PAUSED', description: 'Images' })
    expect(pool.base_job_template.variables.properties).toHaveProperty('image')
  })

  test('takes a template from a file or stdin', async () => {
    const file = join(folder, 'template.yaml')
    writeFileSync(
      file,
      'job_configuration:\n  command: "{{ command }}"\nvariables:\n  type: object\n  properties:\n    command:\n      type: string\n',
    )
    const created = await server.json('work-pool', 'create', 'from-file', '--base-job-template', file)
    expect(created).toMatchObject({ name: 'from-file', type: 'process', base_job_template: { job_configuration: { command: '{{ command }}' } } })
    const template = (await server.millrace('work-pool', 'get-default-base-job-template', '--type', 'process')).stdout
    expect(screen(await withInput(template, 'work-pool', 'create', 'from-stdin', '--type', 'custom', '--base-job-template', '-'))).toBe(
      'Created work pool "from-stdin" of type custom.',
    )
  })

  test('rejects a name that exists, a type that does not, and what the server rejects', async () => {
    expect(await millrace('work-pool', 'create', 'k8s')).toMatchInlineSnapshot(`
      "exit code 1
      Error: A work pool named "k8s" already exists (request <id>)"
    `)
    expect(await millrace('work-pool', 'create', 'new', '--type', 'kubernets')).toMatchInlineSnapshot(`
      "exit code 25
      Error: No work pool type "kubernets". Types: azure-container-instance, cloud-run, cloud-run-v2, docker, ecs, kubernetes, process, vertex-ai. A pool of another type needs --base-job-template."
    `)
    expect(await millrace('work-pool', 'create', 'prefect-managed')).toMatchInlineSnapshot(`
      "exit code 1
      Error: Work pool names starting with "prefect" are reserved. (request <id>)"
    `)
    expect(await millrace('work-pool', 'create', "''")).toMatchInlineSnapshot(`
      "exit code 1
      Error: name: String should match pattern '^(?=.*[^'" ])[^/%&><]+$' (request <id>)"
    `)
    expect(await server.millrace('work-pool', 'create', '')).toMatchObject({ code: 2, stderr: expect.stringContaining('It is empty.') })
    expect(await server.millrace('work-pool', 'create', 'a/b')).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot contain /') })
  })

  test('rejects a template that is none', async () => {
    const file = join(folder, 'invalid.yaml')
    writeFileSync(file, 'a: [1\nb: 2')
    expect((await millrace('work-pool', 'create', 'new', '--base-job-template', file)).replace(folder, '')).toMatchInlineSnapshot(`
      "exit code 2
      Error: /invalid.yaml: not valid YAML or JSON: Flow sequence in block collection must be sufficiently indented and end with a ] at line 2, column 1"
    `)
    expect(screen(await withInput('[1]', 'work-pool', 'create', 'new', '--base-job-template', '-'))).toMatchInlineSnapshot(`
      "exit code 2
      Error: stdin: expected an object, got a list."
    `)
    expect(screen(await withInput('{"variables": 5}', 'work-pool', 'create', 'new', '--base-job-template', '-'))).toMatchInlineSnapshot(`
      "exit code 1
      Error: base_job_template: The base job template must have a \`job_configuration\` and \`variables\` (request <id>)"
    `)
    expect(await millrace('work-pool', 'create', 'new', '--base-job-template', '/nonexistent/file')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Cannot read /nonexistent/file (ENOENT)"
    `)
  })
})

describe('changes of a work pool', () => {
  test('are printed as text and as the changed pool', async () => {
    expect(await millrace('work-pool', 'update', 'local', '--description', 'Here', '--limit', '3')).toBe('Changed work pool "local".')
    expect(await millrace('work-pool', 'pause', 'local')).toBe('Paused work pool "local".')
    expect(await server.json('work-pool', 'inspect', 'local')).toMatchObject({ description: 'Here', concurrency_limit: 3, is_paused: true })
    expect(await millrace('work-pool', 'resume', 'local')).toBe('Resumed work pool "local".')
    expect(await millrace('work-pool', 'set-limit', 'local', '1')).toBe('Limited work pool "local" to 1 run at a time.')
    expect(await server.json('work-pool', 'set-concurrency-limit', 'local', '20')).toMatchObject({ is_paused: false, concurrency_limit: 20 })
    expect(await millrace('work-pool', 'clear-limit', 'local')).toBe('Removed the limit of work pool "local".')
    expect(await server.json('work-pool', 'update', 'local', '--description', '')).toMatchObject({ concurrency_limit: null, description: '' })
  })

  test('need something to change', async () => {
    expect(await millrace('work-pool', 'update', 'local')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Nothing to change. Give --base-job-template, --limit or --description."
    `)
  })

  test('replace the template', async () => {
    const template = { job_configuration: { command: 'run' }, variables: { properties: {} } }
    const { stdout } = await withInput(JSON.stringify(template), 'work-pool', 'update', 'local', '--base-job-template', '-', '-o', 'json')
    expect(JSON.parse(stdout).base_job_template).toEqual(template)
  })
})

describe('work-pool delete', () => {
  test('says what goes with the pool, and needs --yes without a terminal', async () => {
    expect(await millrace('work-pool', 'delete', 'k8s')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Delete work pool "k8s" with 2 queues? 5 scheduled runs will have no pool. Confirm with --yes: there is no terminal to ask."
    `)
    expect(await millrace('work-pool', 'delete', 'local')).toMatchInlineSnapshot(`
      "exit code 2
      Error: Delete work pool "local" with 1 queue? Confirm with --yes: there is no terminal to ask."
    `)
  })

  test('deletes the pool', async () => {
    expect(await millrace('work-pool', 'delete', 'local', '--yes')).toBe('Deleted work pool "local".')
    expect(await server.json('work-pool', 'delete', 'k8s', '-y')).toMatchObject({ name: 'k8s' })
    expect(await millrace('work-pool', 'inspect', 'k8s')).toMatchInlineSnapshot(`
      "exit code 25
      Error: Work pool "k8s" not found. \`millrace work-pool ls\` shows what there is."
    `)
  })
})

describe('work-pool get-default-base-job-template', () => {
  test('prints JSON or YAML', async () => {
    const template = JSON.parse((await server.millrace('work-pool', 'get-default-base-job-template', '--type', 'process')).stdout)
    expect(template.variables.properties.command).toMatchObject({ type: 'string' })
    expect((await server.millrace('work-pool', 'get-default-base-job-template', '-t', 'process', '-o', 'yaml')).stdout).toContain(
      'job_configuration:\n',
    )
  })
})

test.each([['inspect'], ['preview'], ['update', '--limit', '1'], ['pause'], ['resume'], ['clear-limit'], ['delete', '--yes']])(
  'work-pool %s of an unknown pool ends with exit code 25',
  async (command, ...options) => {
    expect(await millrace('work-pool', command, 'no-such-pool', ...options)).toBe(
      'exit code 25\nError: Work pool "no-such-pool" not found. `millrace work-pool ls` shows what there is.',
    )
  },
)

test('an unreachable server ends with exit code 24', async () => {
  const result = await runCli(['--server', `http://127.0.0.1:${await freePort()}`, 'work-pool', 'ls'])
  expect(screen(result)).toMatchInlineSnapshot(`
    "exit code 24
    Error: Cannot reach http://127.0.0.1:<port>/api (ECONNREFUSED). Start a server with \`millrace server start\`, or name another one with --server or MILLRACE_API_URL."
  `)
})
