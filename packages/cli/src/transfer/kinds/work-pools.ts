import { defaultPoolType, type WorkPoolCreate, type WorkPoolResponse, type WorkPoolUpdate } from '@millrace/contracts/work-pool.ts'
import { loadBlockNames, toRequest, withBlockNames } from '../block-references.ts'
import { flag, freeObject, integer, named, nullable, object, optional, required, text, toCanonical } from '../field-spec.ts'
import { type Item, isObject } from '../json-value.ts'
import { type Kind, pick } from '../kind.ts'
import { queueName, type ServerState } from '../server-state.ts'

const poolName = text({ pattern: /^(?=.*[^'" ])[^/%&><]+$/, allows: 'a name is not empty and contains no / % & > <', isEmptyAllowed: false })

/** The template has no default: a file without it leaves the template to the workers, which set it. */
const spec = object({
  name: required(poolName),
  type: optional(text({ isEmptyAllowed: false })),
  description: optional(nullable(text()), null),
  is_paused: optional(flag, false),
  concurrency_limit: optional(nullable(integer({ min: 0 })), null),
  default_queue: optional(text({ isEmptyAllowed: false }), 'default'),
  storage_configuration: optional(
    object({
      bundle_upload_step: optional(nullable(freeObject), null),
      bundle_execution_step: optional(nullable(freeObject), null),
      default_result_storage: optional(nullable(named('block-document')), null),
    }),
    {},
  ),
  base_job_template: optional(freeObject),
})

export const workPools: Kind = {
  key: 'work_pools',
  noun: 'work pool',
  spec,
  nameKeys: ['name'],
  nameOf: ({ name }) => name as string,
  async read(server) {
    const found = await server.list('work-pool')
    await server.loadNames(['work-queue'])
    if (found.some(({ storage_configuration: storage }) => storage?.default_result_storage_block_id)) await server.loadNames(['block-document'])
    await loadBlockNames(server, found)
    return found.map((pool) => ({ id: pool.id, name: pool.name, item: toItem(server, pool) }))
  },
  prepare(_server, { item, problem }, existing) {
    if (!existing) return { ...item, type: item.type ?? defaultPoolType, base_job_template: item.base_job_template ?? {} }
    const { type, default_queue: queue = 'default', base_job_template: template } = existing.item
    if (item.type !== undefined && item.type !== type)
      problem(['type'], `The type of an existing work pool cannot be changed. It is "${type}": delete the pool first.`)
    if ((item.default_queue ?? 'default') !== queue)
      problem(['default_queue'], `The default queue of an existing work pool cannot be changed. It is "${queue}".`)
    return { ...item, type, base_job_template: item.base_job_template ?? template }
  },
  async create(server, { default_queue: queue = 'default', ...item }) {
    const { client, options } = server
    const { id, name, default_queue_id: queueId } = await client.workPools.create(toBody(server, item) as WorkPoolCreate, options)
    server.add('work-pool', name, id)
    if (queue !== 'default') await client.workQueues.updateInPool(name, 'default', { name: queue as string }, options)
    await server.loadNames(['work-queue'])
    if (queueId) server.add('work-queue', queueName(name, queue as string), queueId)
    return undefined
  },
  async update(server, { name }, item, changed) {
    const defaults = { description: null, is_paused: false, concurrency_limit: null, storage_configuration: {}, base_job_template: {} }
    await server.client.workPools.update(name, toBody(server, pick(item, defaults, changed)) as WorkPoolUpdate, server.options)
    return undefined
  },
  async remove(server, { name }) {
    await server.client.workPools.delete(name, server.options)
  },
}

function toItem(server: ServerState, pool: WorkPoolResponse): Item {
  const { bundle_upload_step, bundle_execution_step, default_result_storage_block_id: block } = pool.storage_configuration ?? {}
  const queue = pool.default_queue_id === null ? undefined : server.nameOf('work-queue', pool.default_queue_id)
  return toCanonical(spec, {
    name: pool.name,
    type: pool.type,
    description: pool.description,
    is_paused: pool.is_paused,
    concurrency_limit: pool.concurrency_limit,
    ...(queue === undefined ? {} : { default_queue: queue.slice(pool.name.length + 1) }),
    storage_configuration: {
      bundle_upload_step: withBlockNames(server, bundle_upload_step),
      bundle_execution_step: withBlockNames(server, bundle_execution_step),
      default_result_storage: block ? server.nameOf('block-document', block) : null,
    },
    base_job_template: withBlockNames(server, pool.base_job_template),
  })
}

function toBody(server: ServerState, item: Item): Item {
  const body = toRequest(server, item)
  if (!isObject(body.storage_configuration)) return body
  const { default_result_storage: name, ...steps } = body.storage_configuration
  const id = typeof name === 'string' ? server.idOf('block-document', name) : null
  return { ...body, storage_configuration: { ...steps, default_result_storage_block_id: id } }
}
