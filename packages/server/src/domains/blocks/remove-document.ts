import { notFound } from '../../errors.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { detachFromDeployments } from './detach-documents.ts'
import { deleteDocument, lockDocuments } from './document-store.ts'
import { documentEvent } from './events.ts'
import { parseJsonObject } from './json-object.ts'
import { keyringOf } from './keyring.ts'
import { type BlockSchemaRow, readBlockSchema } from './schema-store.ts'

/** Documents that refer to it lose the field. */
export const removeDocument =
  (context: ServerContext, id: string) =>
  async (tx: Tx): Promise<void> => {
    const [row] = await lockDocuments(tx, [id])
    if (!row) throw notFound('Block document')
    if (!toBoolean(row.is_anonymous)) {
      const schema = (await readBlockSchema(tx, row.block_schema_id)) as BlockSchemaRow
      const data = parseJsonObject((await keyringOf(context).decrypt(tx, [row]))[0] as string)
      tx.emit(documentEvent('deleted', { row, schema, data }, context.newId(), context.clock.now()))
    }
    await detachFromDeployments(tx, 'id', id)
    await deleteDocument(tx, id)
  }
