import { named, nullable, type Spec } from '../field-spec.ts'
import type { Item } from '../json-value.ts'
import type { Kind } from '../kind.ts'
import type { ServerState } from '../server-state.ts'

/** The file has the name of a block document. */
const spec: Spec = (value, path, checker) => ({ value: nullable(named('block-document'))(value, path, checker) })

const itemName = 'default result storage'

async function save(server: ServerState, { value }: Item): Promise<undefined> {
  await server.client.server.setResultStorage({ default_result_storage_block_id: server.idOf('block-document', value as string) }, server.options)
  return undefined
}

export const defaultResultStorage: Kind = {
  key: 'default_result_storage',
  noun: 'setting',
  spec,
  nameKeys: [],
  isSingle: true,
  nameOf: () => itemName,
  async read(server) {
    const { default_result_storage_block_id: id } = await server.client.server.readResultStorage(server.options)
    if (id === null) return []
    await server.loadNames(['block-document'])
    return [{ id, name: itemName, item: { value: server.nameOf('block-document', id) } }]
  },
  create: save,
  update: (server, _existing, item) => save(server, item),
  async remove(server) {
    await server.client.server.clearResultStorage(server.options)
  },
}
