import type { WorkQueueCreate, WorkQueueResponse, WorkQueueUpdate } from '@millrace/contracts/work-queue.ts'
import { flag, integer, list, name, named, nullable, object, optional, required, type Spec, text, toCanonical, valueOr } from '../field-spec.ts'
import { type Item, isObject } from '../json-value.ts'
import { type FollowUp, type Kind, pick } from '../kind.ts'
import { queueName, type ServerState } from '../server-state.ts'

/** The server stores no null. */
const description: Spec = (value, path, checker) => nullable(text())(value, path, checker) ?? ''

const spec = object({
  work_pool: required(named('work-pool')),
  name: required(name),
  description: optional(description, ''),
  priority: optional(integer({ min: 1 })),
  is_paused: optional(flag, false),
  concurrency_limit: optional(nullable(integer({ min: 0 })), null),
  // Deprecated by the API: the queue takes runs by tag and deployment.
  filter: optional(
    nullable(object({ tags: optional(nullable(list(text())), null), deployments: optional(nullable(list(named('deployment'))), null) })),
    null,
  ),
})

const updateDefaults = { description: '', is_paused: false, concurrency_limit: null, filter: null }

export const workQueues: Kind = {
  key: 'work_queues',
  noun: 'work queue',
  spec,
  nameKeys: ['work_pool', 'name'],
  // A priority moves the queues below it.
  isSequential: true,
  nameOf: (item) => queueName(item.work_pool as string, item.name as string),
  async read(server) {
    const found = await server.list('work-queue')
    await server.loadNames(['work-queue'])
    if (found.some(({ filter }) => filter?.deployment_ids)) await server.loadNames(['deployment'])
    const defaults = new Set((await server.list('work-pool')).map(({ default_queue_id }) => default_queue_id))
    return found.map((queue) => ({
      id: queue.id,
      name: queueName(queue.work_pool_name ?? '', queue.name),
      item: toItem(server, queue),
      isKept: defaults.has(queue.id),
    }))
  },
  prepare: (_server, { item }, existing) => (existing && item.priority === undefined ? { ...item, priority: existing.item.priority } : item),
  /** From the first priority to the last, so that a queue at its place is not moved again. */
  groupByDependency: (items) => [byPriority(items)],
  async create(server, item) {
    const { client, options } = server
    const pool = item.work_pool as string
    // A new pool has its default queue already.
    if (server.has('work-queue', queueName(pool, item.name as string)))
      return updateQueue(server, item, new Set(Object.keys({ ...updateDefaults, ...item })))
    const { work_pool: _pool, filter: _filter, ...fields } = item
    const { id } = await client.workQueues.createInPool(pool, fields as WorkQueueCreate, options)
    server.add('work-queue', queueName(pool, item.name as string), id)
    return filterUpdate(server, id, item)
  },
  update: (server, _existing, item, changed) => updateQueue(server, item, changed),
  /** Queues that the file does not change, or does not have, may have moved others. */
  async finish(server, wanted, written) {
    for (const pool of new Set(written.map((item) => item.work_pool as string))) {
      const queues = wanted.filter((item) => item.work_pool === pool && item.priority !== undefined)
      for (const { name, priority } of byPriority(queues)) {
        const found = await server.client.workQueues.readInPool(pool, name as string, server.options)
        if (found.priority !== priority) await server.client.workQueues.update(found.id, { priority: priority as number }, server.options)
      }
    }
  },
  async remove(server, { id }) {
    await server.client.workQueues.delete(id, server.options)
  },
}

const byPriority = (items: readonly Item[]): Item[] =>
  [...items].sort((a, b) => valueOr(a, 'priority', Number.POSITIVE_INFINITY) - valueOr(b, 'priority', Number.POSITIVE_INFINITY))

async function updateQueue(server: ServerState, item: Item, changed: ReadonlySet<string>): Promise<FollowUp | undefined> {
  const id = server.idOf('work-queue', queueName(item.work_pool as string, item.name as string))
  const { filter: _filter, ...fields } = pick(item, updateDefaults, changed)
  const priority = changed.has('priority') && item.priority !== undefined ? { priority: item.priority } : {}
  await server.client.workQueues.update(id, { ...fields, ...priority } as WorkQueueUpdate, server.options)
  return changed.has('filter') ? filterUpdate(server, id, item, true) : undefined
}

/** Deployments are created after the queues. */
function filterUpdate(server: ServerState, id: string, { filter }: Item, mayClear = false): FollowUp | undefined {
  if (filter === undefined && !mayClear) return undefined
  return async () => {
    await server.client.workQueues.update(id, { filter: isObject(filter) ? toFilter(server, filter) : null }, server.options)
  }
}

const toFilter = (server: ServerState, { tags = null, deployments }: Item): NonNullable<WorkQueueUpdate['filter']> => ({
  tags: tags as string[] | null,
  deployment_ids: Array.isArray(deployments) ? deployments.map((each) => server.idOf('deployment', each as string)) : null,
})

function toItem(server: ServerState, queue: WorkQueueResponse): Item {
  const { filter } = queue
  return toCanonical(spec, {
    work_pool: queue.work_pool_name ?? '',
    name: queue.name,
    description: queue.description,
    priority: queue.priority,
    is_paused: queue.is_paused,
    concurrency_limit: queue.concurrency_limit,
    filter: filter && {
      tags: filter.tags ?? null,
      deployments: filter.deployment_ids?.flatMap((id) => server.nameOf('deployment', id) ?? []) ?? null,
    },
  })
}
