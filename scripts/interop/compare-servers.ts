import { toMicros } from '../../packages/server/src/lib/time.ts'

/** Sends the same requests to two servers and reports differences between the responses. */
export interface Comparison {
  /** Number of compared entities, by kind. */
  readonly counts: ReadonlyMap<string, number>
  readonly differences: readonly string[]
}

type Json = Record<string, unknown>

interface ListEndpoint {
  readonly noun: string
  readonly path: string
  readonly body?: Json
  /** Path of a single entity. */
  readonly single?: (item: Json) => string
  readonly key?: string
  /** Responses without pages. */
  readonly whole?: boolean
  /** Whether the order matters. */
  readonly ordered?: boolean
}

const byId = (folder: string) => (item: Json) => `/${folder}/${item.id}`

const listEndpoints: readonly ListEndpoint[] = [
  // First, because slots without a known holder expire five minutes after adoption, and the other comparisons may take longer.
  { noun: 'concurrency limits', path: '/v2/concurrency_limits/filter', single: byId('v2/concurrency_limits') },
  { noun: 'flows', path: '/flows/filter', single: byId('flows') },
  { noun: 'flow runs', path: '/flow_runs/filter', body: { sort: 'ID_DESC' }, single: byId('flow_runs'), ordered: true },
  { noun: 'flow runs by start', path: '/flow_runs/filter', body: { sort: 'EXPECTED_START_TIME_DESC' } },
  { noun: 'task runs', path: '/task_runs/filter', body: { sort: 'ID_DESC' }, single: byId('task_runs'), ordered: true },
  { noun: 'deployments', path: '/deployments/filter', single: byId('deployments') },
  { noun: 'work pools', path: '/work_pools/filter', single: (item) => `/work_pools/${item.name}` },
  { noun: 'work queues', path: '/work_queues/filter', single: byId('work_queues') },
  { noun: 'logs', path: '/logs/filter', body: { sort: 'TIMESTAMP_ASC' } },
  { noun: 'artifacts', path: '/artifacts/filter', body: { sort: 'ID_DESC' }, single: byId('artifacts') },
  { noun: 'latest artifacts', path: '/artifacts/latest/filter', body: { sort: 'ID_DESC' }, key: 'key' },
  { noun: 'variables', path: '/variables/filter', single: byId('variables') },
  { noun: 'block types', path: '/block_types/filter', single: byId('block_types') },
  { noun: 'block schemas', path: '/block_schemas/filter', single: byId('block_schemas') },
  { noun: 'block documents', path: '/block_documents/filter', body: { include_secrets: true }, single: byId('block_documents') },
  { noun: 'automations', path: '/automations/filter', single: byId('automations') },
  { noun: 'limits of tags', path: '/concurrency_limits/filter', single: byId('concurrency_limits') },
  { noun: 'saved searches', path: '/saved_searches/filter', single: byId('saved_searches') },
]

/** Number of entities of each kind that are also read one by one. */
const singlesMax = 60

export async function compareServers(left: string, right: string): Promise<Comparison> {
  const counts = new Map<string, number>()
  const differences: string[] = []
  const both = async <T>(ask: (url: string) => Promise<T>): Promise<[T, T]> => Promise.all([ask(left), ask(right)])
  const compare = (what: string, [a, b]: [unknown, unknown]): void => {
    for (const difference of listDifferences(normalise(a), normalise(b))) differences.push(`${what}${difference}`)
  }
  const count = (noun: string, more: number) => counts.set(noun, (counts.get(noun) ?? 0) + more)

  for (const list of listEndpoints) {
    const [a, b] = await both((url) => readList(url, list))
    const { noun, key = 'id', single } = list
    count(noun, a.length)
    if (a.length !== b.length && noun !== 'block types' && noun !== 'block schemas') differences.push(`${noun}: ${a.length} and ${b.length}`)
    if (list.ordered) compare(`${noun}, order: `, [a.map((item) => item[key]), b.map((item) => item[key])])
    const known = new Map(b.map((item) => [item[key], item]))
    for (const item of a) compare(`${noun} ${item[key]}: `, [item, known.get(item[key])])
    if (single) for (const item of sample(a)) compare(`GET ${single(item)}: `, await both((url) => sendRequest(url, 'GET', single(item))))
  }
  const runs = sample(await readList(left, { noun: '', path: '/flow_runs/filter', body: { sort: 'START_TIME_DESC' } }))
  for (const { id } of runs) {
    compare(`states of ${id}: `, await both((url) => sendRequest(url, 'GET', `/flow_run_states/?flow_run_id=${id}`)))
    compare(`graph of ${id}: `, await both((url) => sendRequest(url, 'GET', `/flow_runs/${id}/graph-v2`)))
    compare(`inputs of ${id}: `, await both((url) => sendRequest(url, 'POST', `/flow_runs/${id}/input/filter`, { prefix: '' })))
    count('flow runs with states, graph and inputs', 1)
  }
  const tasks = sample(await readList(left, { noun: '', path: '/task_runs/filter', body: { sort: 'ID_DESC' } }))
  for (const { id } of tasks) compare(`states of ${id}: `, await both((url) => sendRequest(url, 'GET', `/task_run_states/?task_run_id=${id}`)))
  for (const pool of await readList(left, { noun: '', path: '/work_pools/filter' })) {
    for (const part of ['queues', 'workers']) {
      const [a, b] = await both((url) => sendRequest<Json[]>(url, 'POST', `/work_pools/${pool.name}/${part}/filter`, {}))
      count(`${part} of pools`, a.length)
      compare(`${part} of ${pool.name}: `, [a, b])
    }
  }
  const [eventsHere, eventsThere] = await both(readEvents)
  count('events', eventsHere.found.size)
  // Totals only: pages of the reference on PostgreSQL skip events of equal time, and an enlarged source has thousands of them.
  compare('total of events: ', [eventsHere.total, eventsThere.total])
  for (const [id, event] of eventsHere.found) compare(`event ${id}: `, [event, eventsThere.found.get(id)])
  compare('default result storage: ', await both((url) => sendRequest(url, 'GET', '/admin/storage')))
  for (const noun of ['flows', 'flow_runs', 'task_runs', 'deployments', 'artifacts', 'variables', 'block_documents', 'automations', 'work_pools'])
    compare(`count of ${noun}: `, await both((url) => sendRequest(url, 'POST', `/${noun}/count`, {})))
  return { counts, differences }
}

const pageSize = 200

async function readList(url: string, { path, body = {}, whole }: ListEndpoint): Promise<Json[]> {
  const found: Json[] = []
  for (let offset = 0; ; offset += pageSize) {
    const page = await sendRequest<Json[]>(url, 'POST', path, { ...body, limit: pageSize, offset })
    found.push(...page)
    if (whole || page.length < pageSize) return found
  }
}

async function readEvents(url: string): Promise<{ total: number; found: Map<unknown, Json> }> {
  interface Page {
    readonly events: Json[]
    readonly total: number
    readonly next_page: string | null
  }
  const filter = { occurred: { since: '2000-01-01T00:00:00Z', until: '2099-01-01T00:00:00Z' } }
  const found = new Map<unknown, Json>()
  let page = await sendRequest<Page>(url, 'POST', '/events/filter', { filter, limit: 50 })
  const { total } = page
  for (;;) {
    for (const event of page.events) found.set(event.id, event)
    if (!page.next_page) return { total, found }
    page = await sendRequest<Page>(url, 'GET', page.next_page.slice(page.next_page.indexOf('/events/')))
  }
}

async function sendRequest<T = unknown>(url: string, method: string, path: string, body?: Json): Promise<T> {
  const request = { method, ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}) }
  // All requests only read, so they can be repeated: a server may close an idle connection while it is being reused.
  const response = await fetch(`${url}${path}`, request).catch(() => fetch(`${url}${path}`, request))
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url}${path}: ${response.status} ${text.slice(0, 300)}`)
  return JSON.parse(text, keepLargeIntegers) as T
}

/** Integers beyond the range of a double stay text. */
function keepLargeIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? `number ${context?.source}` : value
}

/** The first, the last, and evenly spaced entries between them. */
function sample(items: readonly Json[]): Json[] {
  const step = Math.max(1, items.length / singlesMax)
  return Array.from({ length: Math.min(items.length, singlesMax) }, (_, index) => items[Math.floor(index * step)] as Json)
}

/** Fields that depend on the time of the request. */
const volatileFields = new Set(['estimated_run_time', 'estimated_start_time_delta'])

/** Lists without a defined order: graph nodes with equal start times, and blocks that a field accepts. */
const unordered = new Set(['root_node_ids', 'nodes', 'block_schema_references'])

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** The servers write the same time with and without a fraction. */
function normalise(value: unknown, sorted = false): unknown {
  if (typeof value === 'string') return TIME.test(value) ? toMicros(value) : value
  if (Array.isArray(value)) {
    const items = value.map((item) => normalise(item))
    return sorted ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items
  }
  if (typeof value !== 'object' || value === null) return value
  // Logs never change, so Millrace stores no `updated` for them.
  const isLog = 'level' in value && 'message' in value
  const kept = Object.entries(value).filter(([key]) => !volatileFields.has(key) && !(isLog && key === 'updated'))
  return Object.fromEntries(kept.map(([key, inner]) => [key, normalise(inner, sorted || unordered.has(key))]))
}

function listDifferences(a: unknown, b: unknown, path = ''): string[] {
  if (Object.is(a, b)) return []
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b))
    return [`${path} ${formatValue(a)} and ${formatValue(b)}`]
  const [left, right] = [a as Json, b as Json]
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...keys].flatMap((key) => listDifferences(left[key], right[key], `${path}.${key}`))
}

const formatValue = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 120)
