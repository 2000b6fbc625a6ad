import type { ConcurrencyLimitV2Create } from '@millrace/contracts/global-concurrency-limit.ts'
import { flag, integer, name, number, object, optional, required, toCanonical } from '../field-spec.ts'
import { type Kind, pick } from '../kind.ts'

const spec = object({
  name: required(name),
  limit: required(integer({ min: 0 })),
  active: optional(flag, true),
  slot_decay_per_second: optional(number({ min: 0 }), 0),
})

/** Limits of tags and of single deployments are stored as global limits with these names. They are exported as what they are. */
export const isDerivedLimit = (limitName: string): boolean =>
  limitName.startsWith('tag:') || /^deployment:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(limitName)

export const concurrencyLimits: Kind = {
  key: 'concurrency_limits',
  noun: 'concurrency limit',
  spec,
  nameKeys: ['name'],
  nameOf: ({ name }) => name as string,
  async read(server) {
    const found = await server.list('concurrency-limit')
    return found.flatMap((limit) => {
      if (isDerivedLimit(limit.name)) return []
      const { id, name, active, slot_decay_per_second } = limit
      return [{ id, name, item: toCanonical(spec, { name, limit: limit.limit, active, slot_decay_per_second }) }]
    })
  },
  async create(server, item) {
    const { id, name } = await server.client.concurrencyLimits.create(item as ConcurrencyLimitV2Create, server.options)
    server.add('concurrency-limit', name, id)
    return undefined
  },
  async update(server, { id }, item, changed) {
    await server.client.concurrencyLimits.update(id, pick(item, { limit: 0, active: true, slot_decay_per_second: 0 }, changed), server.options)
    return undefined
  },
  async remove(server, { id }) {
    await server.client.concurrencyLimits.delete(id, server.options)
  },
}
