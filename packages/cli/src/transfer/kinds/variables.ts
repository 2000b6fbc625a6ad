import type { VariableCreate } from '@millrace/contracts/variable.ts'
import { loadBlockNames, toRequest, withBlockNames } from '../block-references.ts'
import { freeJson, list, object, optional, required, text, toCanonical } from '../field-spec.ts'
import { type Kind, pick } from '../kind.ts'

const spec = object({
  name: required(text({ pattern: /^[a-z0-9_-]{1,255}$/, allows: 'a name has up to 255 lower-case letters, digits, _ and -' })),
  value: required(freeJson),
  tags: optional(list(text()), []),
})

export const variables: Kind = {
  key: 'variables',
  noun: 'variable',
  spec,
  nameKeys: ['name'],
  nameOf: ({ name }) => name as string,
  async read(server) {
    const found = await server.list('variable')
    await loadBlockNames(
      server,
      found.map(({ value }) => value),
    )
    return found.map((variable) => ({
      id: variable.id,
      name: variable.name,
      item: toCanonical(spec, { name: variable.name, value: withBlockNames(server, variable.value), tags: variable.tags }),
    }))
  },
  async create(server, item) {
    const { id, name } = await server.client.variables.create(toRequest(server, item) as VariableCreate, server.options)
    server.add('variable', name, id)
    return undefined
  },
  async update(server, { id }, item, changed) {
    await server.client.variables.update(id, toRequest(server, pick(item, { value: null, tags: [] }, changed)), server.options)
    return undefined
  },
  async remove(server, { id }) {
    await server.client.variables.delete(id, server.options)
  },
}
