import type { FlowCreate } from '@millrace/contracts/flow.ts'
import { type Field, list, name, nullable, object, optional, record, required, type Spec, text, toCanonical } from '../field-spec.ts'
import { isEqual, toNumber } from '../json-value.ts'
import type { Kind } from '../kind.ts'

const labelValue: Spec = (value, path, checker) => {
  const plain = toNumber(value)
  if (plain === undefined && typeof value !== 'string' && typeof value !== 'boolean') checker.problem(path, 'Must be text, a number, true or false.')
  return plain ?? value
}

/** Labels of flows and deployments. */
export const labels: Field = optional(nullable(record(labelValue)), {})

const spec = object({ name: required(name), tags: optional(list(text()), []), labels })

export const flows: Kind = {
  key: 'flows',
  noun: 'flow',
  spec,
  nameKeys: ['name'],
  nameOf: ({ name }) => name as string,
  async read(server) {
    const found = await server.list('flow')
    return found.map(({ id, name, tags, labels }) => ({ id, name, item: toCanonical(spec, { name, tags, labels: labels ?? {} }) }))
  },
  prepare(_server, { item, note }, existing) {
    const { labels: wanted, ...others } = item
    const present = existing?.item.labels
    if (!existing || isEqual(wanted, present)) return item
    note(`The labels of the flow "${item.name}" differ. The server cannot change labels of an existing flow.`)
    return present === undefined ? others : { ...others, labels: present }
  },
  async create(server, item) {
    const { id, name } = await server.client.flows.create(item as FlowCreate, server.options)
    server.add('flow', name, id)
    return undefined
  },
  async update(server, { id }, item) {
    await server.client.flows.update(id, { tags: (item.tags ?? []) as string[] }, server.options)
    return undefined
  },
}
