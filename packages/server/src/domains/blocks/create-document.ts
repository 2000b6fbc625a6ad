import type { BlockDocument, BlockDocumentCreate } from '@millrace/contracts/block-document.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { alreadyExists, invalid, unknownReference } from '../../errors.ts'
import { composeJsonText } from '../../lib/json.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toDocumentResponse } from './document-graph.ts'
import { splitReferences } from './document-references.ts'
import { insertDocument, insertReferences, isNameTaken, lockDocuments } from './document-store.ts'
import { documentEvent } from './events.ts'
import { keyringOf } from './keyring.ts'
import { readBlockSchema } from './schema-store.ts'
import { readBlockType } from './type-store.ts'

/** Checked before all other errors, as in the reference. */
export const findMissingName = ({ is_anonymous, name }: Readonly<Record<string, unknown>>): string | undefined =>
  is_anonymous || name ? undefined : 'Only an anonymous block document may go without a name'

/** Requires an open keyring. */
export function createDocument(context: ServerContext, body: Received<typeof BlockDocumentCreate>) {
  if (body.name === '') throw invalid(['body', 'name'], 'Name must not be empty.', body.name)
  const { clock, newId } = context
  const { ownData: plain, references } = splitReferences(body.data)

  return async (tx: Tx): Promise<BlockDocument> => {
    const type = await readBlockType(tx, body.block_type_id)
    if (!type) throw unknownReference(`The block type ${body.block_type_id}`)
    const schema = await readBlockSchema(tx, body.block_schema_id)
    if (!schema) throw unknownReference(`The block schema ${body.block_schema_id}`)
    const name = body.name ?? `anonymous-${newId()}`
    if (await isNameTaken(tx, type.id, name)) throw nameTaken(name)
    await lockReferencedDocuments(
      tx,
      references.map(({ id }) => id),
    )

    const keyring = keyringOf(context)
    const id = newId()
    const now = clock.now()
    const row = {
      id,
      created: now,
      updated: now,
      name,
      block_type_id: type.id,
      block_type_name: type.name,
      block_schema_id: schema.id,
      is_anonymous: body.is_anonymous,
      ...keyring.encrypt(id, composeJsonText(plain)),
    }
    if (!(await insertDocument(tx, row))) throw nameTaken(name)
    await insertReferences(
      tx,
      references.map((reference) => ({
        id: newId(),
        parent_block_document_id: id,
        reference_block_document_id: reference.id,
        name: reference.name,
      })),
    )
    if (!body.is_anonymous) tx.emit(documentEvent('created', { row, schema, data: plain }, newId(), now))
    return toDocumentResponse(tx, row, { keyring, includeSecrets: false })
  }
}

const nameTaken = (name: string) => alreadyExists(`A block document of this type by the name ${name}`)

/** Locks the referenced documents; throws if one is missing. */
export async function lockReferencedDocuments(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const found = new Set((await lockDocuments(tx, ids)).map(({ id }) => id))
  const missing = ids.find((id) => !found.has(id))
  if (missing) throw unknownReference(`The block document ${missing}`)
}
