import type { SavedSearch, SavedSearchCreate } from '@millrace/contracts/saved-search.ts'
import { freeJson, list, object, optional, required, text, toCanonical } from '../field-spec.ts'
import type { Item } from '../json-value.ts'
import type { Kind } from '../kind.ts'
import { readAll, type ServerState } from '../server-state.ts'

const spec = object({
  name: required(text({ isEmptyAllowed: false })),
  filters: optional(
    list(
      object({
        object: required(text()),
        property: required(text()),
        type: required(text()),
        operation: required(text()),
        value: required(freeJson),
      }),
    ),
    [],
  ),
})

async function save(server: ServerState, item: Item): Promise<undefined> {
  await server.client.savedSearches.save(item as SavedSearchCreate, server.options)
  return undefined
}

export const savedSearches: Kind = {
  key: 'saved_searches',
  noun: 'saved search',
  spec,
  nameKeys: ['name'],
  nameOf: ({ name }) => name as string,
  async read(server) {
    const found = await readAll(server.client.savedSearches.listAll({}, server.options))
    return found.map(({ id, name, filters }: SavedSearch) => ({ id, name, item: toCanonical(spec, { name, filters: filters.map(toFilter) }) }))
  },
  create: save,
  update: (server, _existing, item) => save(server, { filters: [], ...item }),
  async remove(server, { id }) {
    await server.client.savedSearches.delete(id, server.options)
  },
}

const toFilter = ({ object, property, type, operation, value }: SavedSearch['filters'][number]) => ({ object, property, type, operation, value })
