import { flag, integer, number, object, optional, required, text, toCanonical, valueOr } from '../field-spec.ts'
import type { Item } from '../json-value.ts'
import type { Kind } from '../kind.ts'
import { readAll, type ServerState } from '../server-state.ts'

const spec = object({
  tag: required(text({ isEmptyAllowed: false })),
  concurrency_limit: required(integer()),
  active: optional(flag, true),
  slot_decay_per_second: optional(number({ min: 0 }), 0),
})

/** Sets what the operations of tag limits do not know: a tag limit is also a global limit. */
async function setGlobalFields(server: ServerState, id: string, item: Item): Promise<void> {
  const body = { active: valueOr(item, 'active', true), slot_decay_per_second: valueOr(item, 'slot_decay_per_second', 0) }
  await server.client.concurrencyLimits.update(id, body, server.options)
}

async function save(server: ServerState, item: Item): Promise<string> {
  const body = { tag: item.tag as string, concurrency_limit: item.concurrency_limit as number }
  return (await server.client.tagConcurrencyLimits.create(body, server.options)).id
}

export const tagConcurrencyLimits: Kind = {
  key: 'tag_concurrency_limits',
  noun: 'tag limit',
  spec,
  nameKeys: ['tag'],
  nameOf: ({ tag }) => tag as string,
  async read(server) {
    const found = await readAll(server.client.tagConcurrencyLimits.listAll({}, server.options))
    const globals = found.length === 0 ? [] : await server.list('concurrency-limit')
    const byName = new Map(globals.map((limit) => [limit.name, limit]))
    return found.map(({ id, tag, concurrency_limit }) => {
      const { active, slot_decay_per_second } = byName.get(`tag:${tag}`) ?? { active: true, slot_decay_per_second: 0 }
      return { id, name: tag, item: toCanonical(spec, { tag, concurrency_limit, active, slot_decay_per_second }) }
    })
  },
  async create(server, item) {
    const id = await save(server, item)
    if (item.active !== undefined || item.slot_decay_per_second !== undefined) await setGlobalFields(server, id, item)
    return undefined
  },
  async update(server, { id }, item, changed) {
    if (changed.has('concurrency_limit')) await save(server, item)
    if (changed.has('active') || changed.has('slot_decay_per_second')) await setGlobalFields(server, id, item)
    return undefined
  },
  async remove(server, { id }) {
    await server.client.tagConcurrencyLimits.delete(id, server.options)
  },
}
