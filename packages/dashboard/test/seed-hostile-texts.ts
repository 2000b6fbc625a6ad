import { hostileTexts } from './hostile-texts.ts'
import type { SeededServer } from './seeded-server.ts'

export interface Hostile {
  /** Number of stored texts per kind of object, and number of rejected texts. */
  readonly stored: Readonly<Record<string, number>>
  readonly refused: number
  readonly flow: string
  readonly run: string
  readonly pausedRun: string
  readonly taskRun: string
  readonly deployment: string
  readonly automation: string
  readonly block: string
  readonly event: string
}

/** Identifies a hostile text on a page. */
export const marker = (index: number): string => `v${index}v`

const texts = hostileTexts.map((text, index) => `${marker(index)} ${text}`)

/** Stores every hostile text in every field that accepts user text, through the API. */
export async function seedHostile({ call }: Pick<SeededServer, 'call'>): Promise<Hostile> {
  const stored: Record<string, number> = {}
  let refused = 0
  /** A text that the API rejects appears on no page. Other errors fail the test. */
  const put = async (place: string, url: string, body: unknown): Promise<{ id: string } | undefined> => {
    try {
      const made = await call('POST', url, body)
      stored[place] = (stored[place] ?? 0) + 1
      return made
    } catch (error) {
      if (!/: 4\d\d /.test(String(error))) throw error
      refused += 1
      return undefined
    }
  }
  const each = async (place: string, url: string, body: (text: string, index: number) => unknown) => {
    const made: { id: string }[] = []
    for (const [index, text] of texts.entries()) {
      const found = await put(place, url, body(text, index))
      if (found) made.push(found)
    }
    return made
  }

  await each('flow name', '/flows/', (text) => ({ name: text }))
  const flow = (await call('POST', '/flows/', { name: 'hostile', tags: texts })).id
  stored['flow tag'] = texts.length
  const runs = await each('run name, tags and parameters', '/flow_runs/', (text) => ({
    flow_id: flow,
    name: text,
    tags: [text],
    parameters: { [text]: [text, { [text]: text }] },
    state: { type: 'RUNNING', name: text, message: text },
  }))
  const run = (
    await call('POST', '/flow_runs/', { flow_id: flow, name: 'hostile', parameters: Object.fromEntries(texts.map((text) => [text, text])) })
  ).id
  await each('state name, message and data', `/flow_runs/${run}/set_state`, (text) => ({
    state: { type: 'RUNNING', name: text, message: text, data: { [text]: text } },
    force: true,
  }))
  const tasks = await each('task run name, key and inputs', '/task_runs/', (text, index) => ({
    flow_run_id: run,
    task_key: text,
    dynamic_key: String(index),
    name: text,
    tags: [text],
    task_inputs: { [text]: [{ input_type: 'parameter', name: text }] },
    state: { type: 'RUNNING', name: text, message: text },
  }))
  const timestamp = new Date().toISOString()
  await each('log message and name', '/logs/', (text) => [{ name: text, level: 20, message: text, timestamp, flow_run_id: run }])

  const artifact = (place: string, type: string, data: (text: string) => unknown) =>
    each(place, '/artifacts/', (text, index) => ({
      key: `${type}-${index}`,
      type,
      data: data(text),
      description: text,
      metadata_: { [text]: text },
      flow_run_id: run,
    }))
  await artifact('artifact markdown', 'markdown', (text) => `before\n\n${text}\n\nafter ${text}`)
  await artifact('artifact link', 'link', (text) => (text.includes('](') ? text : `[${text}](${text.slice(text.indexOf(' ') + 1)})`))
  await artifact('artifact image', 'image', (text) => text.slice(text.indexOf(' ') + 1))
  await artifact('artifact progress', 'progress', (text) => text)
  await put('artifact table', '/artifacts/', {
    key: 'all-in-a-table',
    type: 'table',
    data: JSON.stringify(texts.map((text) => ({ [text]: text, cell: text }))),
    flow_run_id: run,
  })
  await each('artifact of another type', '/artifacts/', (text) => ({ key: 'odd', type: text, data: { [text]: text }, flow_run_id: run }))

  const deployments = await each('deployment', '/deployments/', (text, index) => ({
    name: `d${index}`,
    flow_id: flow,
    tags: [text],
    description: text,
    parameters: { [text]: text },
    entrypoint: text,
    version: text,
    parameter_openapi_schema: { type: 'object', properties: { a: { title: text, description: text, type: 'string', default: text, enum: [text] } } },
  }))
  await each('deployment name', '/deployments/', (text) => ({ name: text, flow_id: flow }))
  await put('work pool', '/work_pools/', { name: 'hostile', type: 'process', description: texts.join(' ') })
  await each('work pool name', '/work_pools/', (text) => ({ name: text, type: 'process', description: text }))
  await each('work queue', '/work_pools/hostile/queues', (text) => ({ name: text, description: text }))
  await each('worker', '/work_pools/hostile/workers/heartbeat', (text) => ({ name: text, heartbeat_interval_seconds: 30 }))
  await each('variable', '/variables/', (text, index) => ({ name: `v${index}`, value: { [text]: text }, tags: [text] }))
  await each('concurrency limit', '/v2/concurrency_limits/', (text) => ({ name: text, limit: 1 }))
  await each('saved search', '/saved_searches/', (text) => ({ name: text, filters: [] }))
  const automations = await each('automation', '/automations/', (text) => ({
    name: text,
    description: text,
    tags: [text],
    trigger: { type: 'event', posture: 'Reactive', expect: [text], match: { [text]: text }, threshold: 1, within: 0 },
    actions: [{ type: 'do-nothing' }],
  }))
  const { id: blockType } = await call('POST', '/block_types/', {
    name: 'javascript:canary()',
    slug: 'hostile',
    description: texts.join('\n\n'),
    logo_url: hostileTexts[30],
    documentation_url: hostileTexts[30],
  })
  const { id: schema } = await call('POST', '/block_schemas/', {
    block_type_id: blockType,
    fields: {
      title: texts[4],
      type: 'object',
      properties: { note: { title: texts[0], description: texts[4], type: 'string' } },
      block_type_slug: 'hostile',
    },
    capabilities: [],
  })
  const blocks = await each('block', '/block_documents/', (text, index) => ({
    name: `b${index}`,
    data: { note: text },
    block_schema_id: schema,
    block_type_id: blockType,
  }))
  const eventIds = texts.map((_, index) => `00000000-0000-4000-8000-0000000000${String(index).padStart(2, '0')}`)
  await each('event', '/events', (text, index) => [
    {
      id: eventIds[index],
      occurred: timestamp,
      event: text,
      resource: { 'prefect.resource.id': text, 'prefect.resource.name': text, [text]: text },
      related: [{ 'prefect.resource.id': text, 'prefect.resource.role': text }],
      payload: { [text]: text },
    },
  ])

  const pausedRun = runs[0]?.id ?? run
  const schemaOfInput = {
    title: texts[0],
    type: 'object',
    properties: Object.fromEntries(texts.map((text, index) => [`f${index}`, { title: text, description: text, type: 'string', enum: [text] }])),
  }
  await put('input schema', `/flow_runs/${pausedRun}/input`, { key: 'ask', value: JSON.stringify(schemaOfInput) })
  await put('input description', `/flow_runs/${pausedRun}/input`, { key: 'about', value: texts.join('\n') })
  await call('POST', `/flow_runs/${pausedRun}/set_state`, {
    state: {
      type: 'PAUSED',
      state_details: { pause_timeout: '2100-01-01T00:00:00Z', run_input_keyset: { schema: 'ask', description: 'about', response: 'answer' } },
    },
    force: true,
  })
  const first = (found: { id: string }[]) => found[0]?.id ?? ''
  return {
    stored,
    refused,
    flow,
    run,
    pausedRun,
    taskRun: first(tasks),
    deployment: first(deployments),
    automation: first(automations),
    block: first(blocks),
    event: `${timestamp.slice(0, 10)}/${eventIds[0]}`,
  }
}
