import type { DeploymentCreate, DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { loadBlockNames, toRequest, withBlockNames } from '../block-references.ts'
import {
  flag,
  freeObject,
  integer,
  list,
  name,
  named,
  nullable,
  object,
  oneOf,
  optional,
  required,
  type Spec,
  text,
  toCanonical,
} from '../field-spec.ts'
import { type Item, isEqual } from '../json-value.ts'
import { type Kind, pick } from '../kind.ts'
import { deploymentName, type ServerState } from '../server-state.ts'
import { labels } from './flows.ts'
import { schedulesSpec, toScheduleBody, toScheduleItem, withAnchors } from './schedules.ts'

const fields = object({
  flow: required(name),
  name: required(text({ pattern: /^[^/%&><]*$/, allows: 'a name contains no / % & > <' })),
  description: optional(nullable(text()), null),
  version: optional(nullable(text()), null),
  tags: optional(list(text()), []),
  labels,
  paused: optional(flag, false),
  work_pool: optional(nullable(named('work-pool')), null),
  work_queue: optional(nullable(text()), null),
  concurrency_limit: optional(nullable(integer({ min: 1 })), null),
  global_concurrency_limit: optional(nullable(named('concurrency-limit')), null),
  concurrency_options: optional(
    nullable(
      object({
        collision_strategy: required(oneOf('ENQUEUE', 'CANCEL_NEW')),
        grace_period_seconds: optional(nullable(integer({ min: 60, max: 86_400 })), null),
      }),
    ),
    null,
  ),
  entrypoint: optional(nullable(text()), null),
  path: optional(nullable(text()), null),
  pull_steps: optional(nullable(list(freeObject)), []),
  storage_document: optional(nullable(named('block-document')), null),
  infrastructure_document: optional(nullable(named('block-document')), null),
  schedules: optional(schedulesSpec, []),
  parameters: optional(freeObject, {}),
  enforce_parameter_schema: optional(flag, true),
  parameter_openapi_schema: optional(nullable(freeObject), {}),
  job_variables: optional(freeObject, {}),
})

const spec: Spec = (value, path, checker) => {
  const item = fields(value, path, checker) as Item
  if (item?.concurrency_limit !== undefined && item.global_concurrency_limit !== undefined)
    checker.problem([...path, 'concurrency_limit'], 'A deployment has either "concurrency_limit" or "global_concurrency_limit".')
  if (item?.work_queue !== undefined && item.work_pool === undefined)
    checker.problem([...path, 'work_queue'], 'A deployment with a "work_queue" needs its "work_pool".')
  return item
}

/** An empty schema is stored like this when it replaces another one. */
const emptySchema = { type: 'object', properties: {} }

/** Sent only if they differ: the server keeps omitted fields, and checks parameters if `enforce_parameter_schema` is sent. */
const updateDefaults = {
  description: null,
  version: null,
  tags: [],
  paused: false,
  concurrency_options: null,
  entrypoint: null,
  path: null,
  pull_steps: [],
  enforce_parameter_schema: true,
  parameter_openapi_schema: {},
  job_variables: {},
}

const documentKeys = ['storage_document', 'infrastructure_document'] as const

export const deployments: Kind = {
  key: 'deployments',
  noun: 'deployment',
  spec,
  nameKeys: ['flow', 'name'],
  nameOf: (item) => deploymentName(item.flow as string, item.name as string),
  async read(server) {
    const found = await server.list('deployment')
    await server.loadNames(['deployment'])
    if (found.some((each) => each.storage_document_id || each.infrastructure_document_id)) await server.loadNames(['block-document'])
    await loadBlockNames(server, found)
    const flowLabels = new Map((await server.list('flow')).map((flow) => [flow.id, flow.labels ?? {}]))
    return found.map((each) => {
      const flow = server.nameOf('flow', each.flow_id) ?? ''
      return { id: each.id, name: deploymentName(flow, each.name), item: toItem(server, each, flow, flowLabels.get(each.flow_id) ?? {}) }
    })
  },
  prepare(_server, { item }, existing) {
    if (!existing) return item
    const schedules = withAnchors(item.schedules, existing.item.schedules)
    const schema = item.parameter_openapi_schema
    const isEmpty = schema === undefined && isEqual(existing.item.parameter_openapi_schema, emptySchema)
    return {
      ...item,
      // Without a queue, the deployment is in the default queue of its pool.
      ...(item.work_queue === undefined && item.work_pool === existing.item.work_pool ? { work_queue: existing.item.work_queue } : {}),
      ...(schedules === undefined ? {} : { schedules }),
      ...(isEmpty ? { parameter_openapi_schema: emptySchema } : {}),
    }
  },
  async create(server, item) {
    const flow = item.flow as string
    if (!server.has('flow', flow)) server.add('flow', flow, (await server.client.flows.create({ name: flow }, server.options)).id)
    const given = new Set(Object.keys(item))
    const { id } = await server.client.deployments.create(toBody(server, item, given), server.options)
    server.add('deployment', deployments.nameOf(item), id)
    return undefined
  },
  async update(server, { id }, item, changed) {
    const { client, options } = server
    // An upsert keeps the queue of a deployment without a pool.
    if (item.work_pool === undefined && (changed.has('work_pool') || changed.has('work_queue')))
      await client.deployments.update(id, { work_pool_name: null, work_queue_name: null }, options)
    // The limit of the deployment itself would stay beside a shared one.
    if (item.global_concurrency_limit !== undefined && changed.has('concurrency_limit'))
      await client.deployments.update(id, { concurrency_limit: null }, options)
    await client.deployments.create(toBody(server, item, changed), options)
    return undefined
  },
  async remove(server, { id }) {
    await server.client.deployments.delete(id, server.options)
  },
}

/** The body of an upsert, which replaces schedules, parameters and labels and keeps other omitted fields. An update would evaluate the parameters. */
function toBody(server: ServerState, item: Item, changed: ReadonlySet<string>): DeploymentCreate {
  const documents = documentKeys.flatMap((key) => {
    if (!changed.has(key)) return []
    return [[`${key}_id`, item[key] === undefined ? null : server.idOf('block-document', item[key] as string)]]
  })
  return {
    name: item.name,
    flow_id: server.idOf('flow', item.flow as string),
    labels: item.labels ?? {},
    parameters: toRequest(server, item.parameters ?? {}),
    schedules: ((item.schedules ?? []) as Item[]).map((schedule) => toScheduleBody(server, schedule)),
    ...toRequest(server, pick(item, updateDefaults, changed)),
    ...(item.work_pool === undefined ? {} : { work_pool_name: item.work_pool }),
    ...(item.work_queue === undefined ? {} : { work_queue_name: item.work_queue }),
    ...Object.fromEntries(documents),
    ...limitBody(server, item, changed),
  } as DeploymentCreate
}

function limitBody(server: ServerState, item: Item, changed: ReadonlySet<string>): object {
  if (!changed.has('concurrency_limit') && !changed.has('global_concurrency_limit')) return {}
  if (item.global_concurrency_limit === undefined) return { concurrency_limit: item.concurrency_limit ?? null }
  return { global_concurrency_limit_id: server.idOf('concurrency-limit', item.global_concurrency_limit as string) }
}

function toItem(server: ServerState, each: DeploymentResponse, flow: string, flowLabels: Item): Item {
  const limit = each.global_concurrency_limit
  const isShared = limit && limit.name !== `deployment:${each.id}`
  const document = (id: string | null) => (id ? server.nameOf('block-document', id) : null)
  return toCanonical(spec, {
    flow,
    name: each.name,
    description: each.description,
    version: each.version,
    tags: each.tags,
    labels: ownLabels(each.labels ?? {}, flowLabels),
    paused: each.paused,
    work_pool: each.work_pool_name,
    // A queue that does not exist any more leaves its name behind.
    work_queue: each.work_pool_name === null ? null : each.work_queue_name,
    ...(isShared ? { global_concurrency_limit: limit.name } : { concurrency_limit: limit?.limit ?? each.concurrency_limit }),
    concurrency_options: each.concurrency_options && {
      collision_strategy: each.concurrency_options.collision_strategy,
      grace_period_seconds: each.concurrency_options.grace_period_seconds ?? null,
    },
    entrypoint: each.entrypoint,
    path: each.path,
    pull_steps: withBlockNames(server, each.pull_steps),
    storage_document: document(each.storage_document_id),
    infrastructure_document: document(each.infrastructure_document_id),
    schedules: each.schedules.map((schedule) => toScheduleItem(server, schedule)),
    parameters: withBlockNames(server, each.parameters),
    enforce_parameter_schema: each.enforce_parameter_schema,
    parameter_openapi_schema: each.parameter_openapi_schema,
    job_variables: withBlockNames(server, each.job_variables),
  })
}

/** The server adds the id and the labels of the flow to those of the deployment. */
const ownLabels = (all: Item, flowLabels: Item): Item =>
  Object.fromEntries(Object.entries(all).filter(([key, value]) => key !== 'prefect.flow.id' && !isEqual(value, flowLabels[key])))
