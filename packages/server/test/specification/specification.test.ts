import { readFileSync } from 'node:fs'
import { Artifact } from '@millrace/contracts/artifact.ts'
import { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { Flow } from '@millrace/contracts/flow.ts'
import { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { State, StateDetails } from '@millrace/contracts/state.ts'
import { TaskRun } from '@millrace/contracts/task-run.ts'
import { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import { WorkQueueResponse } from '@millrace/contracts/work-queue.ts'
import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../setup.ts'
import tables from './tables.json' with { type: 'json' }

/**
 * The specification of the API, table by table. `tables.json` holds its tables in our own form, made with a script that splits their rows: the fields of each resource
 * (`?` for nullable, `=` for a default), the criteria of each filter, and the fields, bounds and sort orders of each operation that lists or counts; `creations` has the
 * bounds that its sections of operations state. What a line says in prose has a test in its domain.
 */

type Entity = Record<string, unknown>
type Sample = string | number | boolean | readonly unknown[]

const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const checks: Record<string, (value: unknown) => boolean> = {
  uuid: (value) => typeof value === 'string' && uuid.test(value),
  'date-time': (value) => typeof value === 'string' && time.test(value),
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  any: () => true,
}

function fits(value: unknown, type: string): boolean {
  if (type.startsWith('enum')) return typeof value === 'string' && (type === 'enum' || type.slice(5, -1).split(' ').includes(value))
  if (type.startsWith('array')) return Array.isArray(value)
  return (checks[type] ?? isObject)(value)
}

function parseField(text: string) {
  const [type = '', fallback] = text.split(' = ')
  return { type: type.replace('?', ''), isNullable: type.includes('?'), fallback: fallback === undefined ? undefined : JSON.parse(fallback) }
}

const contracts = {
  flow: Flow,
  flow_run: FlowRunResponse,
  state: State,
  state_details: StateDetails,
  task_run: TaskRun,
  deployment: DeploymentResponse,
  work_queue: WorkQueueResponse,
  work_pool: WorkPoolResponse,
  artifact: Artifact,
} as const

const acceptsNull = (schema: unknown): boolean => JSON.stringify(schema).includes('{"type":"null"}')

/** Fields that may be null although the document does not mark them; docs/differences.md lists them with the reason. */
const nullableToo = Object.entries(tables.resources).flatMap(([resource, fields]) =>
  Object.entries(fields)
    .filter(([name, text]) => {
      const schema = (contracts[resource as keyof typeof contracts].properties as Record<string, { anyOf?: unknown[] }>)[name]
      return !parseField(text).isNullable && parseField(text).type !== 'any' && schema?.anyOf?.some(acceptsNull)
    })
    .map(([name]) => `${resource}.${name}`),
)

test('the differences list each field that may be null although the specification does not mark it', () => {
  const page = readFileSync(new URL('../../../../docs/differences.md', import.meta.url), 'utf8')
  expect(nullableToo.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  const [, section = ''] = page.split('Some fields may be null')
  const listed = [...(section.split('\n## ')[0] ?? '').matchAll(/`(\w+\.\w+)`/g)].map((match) => match[1] as string)
  expect(listed.filter((name) => !nullableToo.includes(name))).toEqual([])
})

/** One of each resource, made with the required fields only. */
async function createResources(app: TestApp): Promise<Record<string, Entity>> {
  const create = async (path: string, body: object): Promise<Entity> => (await app.call('POST', path, body)).body
  const flow = await create('/flows/', { name: 'f' })
  const flow_run = await create('/flow_runs/', { flow_id: flow.id })
  const work_pool = await create('/work_pools/', { name: 'pool' })
  return {
    flow,
    flow_run: (await app.call('GET', `/flow_runs/${flow_run.id}`)).body,
    state: flow_run.state as Entity,
    state_details: (flow_run.state as { state_details: Entity }).state_details,
    task_run: await create('/task_runs/', { task_key: 't', dynamic_key: '0' }),
    deployment: await create('/deployments/', { name: 'd', flow_id: flow.id }),
    work_queue: await create('/work_queues/', { name: 'queue' }),
    work_pool,
    artifact: await create('/artifacts/', { key: 'k' }),
  }
}

const samples: Record<string, Sample> = {
  like_: '%a%',
  startswith_: ['a'],
  is_null_: true,
  eq_: true,
  exists_: true,
  ge_: 1,
  le_: 2,
  before_: '2030-01-01T00:00:00Z',
  after_: '2029-01-01T00:00:00Z',
  operator: 'or_',
  type_: ['DEPLOYMENT', 'AUTOMATION'],
}
const ids = ['00000000-0000-4000-8000-000000000000']

function sampleOf(field: string, criterion: string): Sample {
  const key = criterion.split('.').at(-1) as string
  if (field === 'state' && criterion.startsWith('type')) return ['RUNNING']
  return samples[key] ?? (key === 'id_' || /(^|_)id$/.test(field) ? ids : ['a'])
}

/** `type.any_` is a criterion within a criterion. */
const nest = (path: string, value: Sample): object => path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object

const required: Record<string, object> = {
  '/flow_runs/history': { history_start: '2030-01-01T00:00:00Z', history_end: '2030-01-02T00:00:00Z', history_interval_seconds: 3600 },
}

const error = {
  status: 422,
  body: { detail: expect.arrayContaining([expect.objectContaining({ loc: expect.any(Array), msg: expect.any(String), type: expect.any(String) })]) },
}

eachDialect('the specification', (setup) => {
  test('resources have each field with its type and default', async () => {
    const resources = await createResources(await setup())
    const wrong: string[] = []
    for (const [resource, fields] of Object.entries(tables.resources)) {
      for (const [name, text] of Object.entries(fields)) {
        const { type, isNullable, fallback } = parseField(text)
        const value = resources[resource]?.[name]
        const mayBeNull = isNullable || nullableToo.includes(`${resource}.${name}`)
        if (value === undefined || (value === null ? !mayBeNull && type !== 'any' : !fits(value, type)))
          wrong.push(`${resource}.${name} is ${JSON.stringify(value)}, not ${text}`)
        if (fallback !== undefined && value !== fallback && !name.startsWith('estimated'))
          wrong.push(`${resource}.${name} is ${JSON.stringify(value)} by default`)
      }
    }
    expect(wrong).toEqual([])
  })

  test.each(Object.entries(tables.queries))('%s takes each filter, criterion, order and bound', async (path, query) => {
    const app = await setup()
    const send = (body: object) => app.call('POST', path, { ...required[path], ...body })
    const failed: string[] = []
    const expectStatus = async (wanted: number, body: object) => {
      const { status, body: answer } = await send(body)
      if (status !== wanted || (wanted === 422 && !Array.isArray(answer.detail))) failed.push(`${JSON.stringify(body)}: ${status}`)
    }
    await expectStatus(200, {})
    for (const [filter, name] of Object.entries(query.filters)) {
      await expectStatus(200, { [filter]: null })
      await expectStatus(200, { [filter]: {} })
      await expectStatus(200, { [filter]: { operator: 'or_' } })
      await expectStatus(422, { [filter]: { operator: 'xor_' } })
      await expectStatus(422, { [filter]: { unknown: {} } })
      for (const [field, criteria] of Object.entries(tables.filters[name as keyof typeof tables.filters])) {
        for (const criterion of criteria) await expectStatus(200, { [filter]: { [field]: nest(criterion, sampleOf(field, criterion)) } })
        await expectStatus(422, { [filter]: { [field]: { unknown_: 1 } } })
      }
    }
    for (const sort of 'sort' in query ? query.sort : []) await expectStatus(200, { sort })
    if ('sort' in query) await expectStatus(422, { sort: 'SIDEWAYS' })
    for (const [field, text] of Object.entries(query.fields)) {
      const minimum = / >= (\d+)/.exec(text)?.[1]
      if (minimum !== undefined)
        await expectStatus(200, { [field]: Number(minimum), ...(field === 'history_interval_seconds' && { history_end: '2030-01-01T00:01:00Z' }) })
      if (minimum !== undefined) await expectStatus(422, { [field]: Number(minimum) - 1 })
      await expectStatus(422, { [field]: 'many' })
    }
    expect(failed).toEqual([])
  })

  test.each(Object.entries(tables.creations))(
    '%s requires, accepts and rejects what is stated',
    async (path, { required: names, rejected, accepted }) => {
      const app = await setup()
      let count = 0
      const valid = () => {
        count += 1
        return { name: `n${count}`, task_key: 't', dynamic_key: String(count), state: { type: 'RUNNING' } }
      }
      const body = (more: object) => {
        const all = { ...valid(), ...more }
        return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name) || name in more))
      }
      for (const name of names) expect(await app.call('POST', path, { ...body({}), [name]: undefined })).toMatchObject(error)
      for (const [name, values] of Object.entries(rejected)) {
        for (const value of values) expect(await app.call('POST', path, body({ [name]: value })), `${name}: ${value}`).toMatchObject(error)
      }
      for (const [name, values] of Object.entries(accepted)) {
        for (const value of values) expect([200, 201], `${name}: ${value}`).toContain((await app.call('POST', path, body({ [name]: value }))).status)
      }
    },
  )
})
