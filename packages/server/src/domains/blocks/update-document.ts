import type { BlockDocumentUpdate } from '@millrace/contracts/block-document.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { badRequest, notFound, unknownReference } from '../../errors.ts'
import { composeJsonText } from '../../lib/json.ts'
import type { Db, Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { assertExpandable, referencesMax } from './document-graph.ts'
import { type DocumentReference, splitReferences } from './document-references.ts'
import {
  type BlockDocumentRow,
  deleteDocument,
  deleteReferences,
  detachFromDeployments,
  insertReferences,
  lockDocuments,
  readDocumentReferencesBelow,
  readReferences,
  updateDocuments,
} from './document-store.ts'
import { documentEvent } from './events.ts'
import { type JsonObject, parseJsonObject } from './json-object.ts'
import { keyringOf } from './keyring.ts'
import { type BlockSchemaRow, readBlockSchema } from './schema-store.ts'
import { restoreSecrets, secretPaths } from './secret-fields.ts'

type Body = Received<typeof BlockDocumentUpdate>

/** Requires an open keyring. */
export function updateDocument(context: ServerContext, id: string, body: Body) {
  const { clock, newId } = context
  const merge = body.merge_existing_data
  const given = body.data ?? (merge ? undefined : {})
  const referred = splitReferences(given ?? {}).references

  return async (tx: Tx): Promise<void> => {
    const locked = new Map((await lockDocuments(tx, [id, ...referred.map((reference) => reference.id)])).map((row) => [row.id, row]))
    const row = locked.get(id)
    if (!row) throw notFound('Block document')
    const missing = referred.find((reference) => !locked.has(reference.id))
    if (missing) throw unknownReference(`The block document ${missing.id}`)
    const before = (await readBlockSchema(tx, row.block_schema_id)) as BlockSchemaRow
    const schema = await resolveSchema(tx, row, before, body.block_schema_id)
    if (!given && schema === before) return

    const keyring = keyringOf(context)
    const current = parseJsonObject((await keyring.decrypt(tx, [row]))[0] as string)
    const data = given ? mergeData(given, current, { merge, secretsOf: before }) : current
    const old = await readReferences(tx, id)
    const kept = old.filter(({ name }) => (merge || !given) && !Object.hasOwn(given ?? {}, name))
    await assertNoCycle(tx, id, referred)

    const now = clock.now()
    const next = { ...row, updated: now, block_schema_id: schema.id, ...keyring.encrypt(id, composeJsonText(data)) }
    await updateDocuments(tx, [next])
    const dropped = old.filter((reference) => !kept.includes(reference))
    await deleteReferences(
      tx,
      dropped.map((reference) => reference.id),
    )
    await insertReferences(
      tx,
      referred.map((reference) => ({
        id: newId(),
        parent_block_document_id: id,
        reference_block_document_id: reference.id,
        name: reference.name,
      })),
    )
    // Not after a change that only removes references, which may not be enough yet.
    if (referred.length > 0) await assertExpandable(tx, next, keyring)
    if (!toBoolean(row.is_anonymous)) tx.emit(documentEvent('updated', { row: next, schema, data }, newId(), now))
  }
}

/** Merges the given fields into the stored data, field by field; without a merge they replace all data. */
function mergeData(given: JsonObject, current: JsonObject, { merge, secretsOf }: { merge: boolean; secretsOf: BlockSchemaRow }): JsonObject {
  const restored = restoreSecrets(given, current, secretPaths(parseJsonObject(secretsOf.fields)))
  return splitReferences(merge ? { ...current, ...restored } : restored).ownData
}

async function resolveSchema(tx: Tx, row: BlockDocumentRow, before: BlockSchemaRow, id: string | null | undefined): Promise<BlockSchemaRow> {
  if (!id || id === before.id) return before
  const schema = await readBlockSchema(tx, id)
  if (!schema) throw unknownReference(`The block schema ${id}`)
  if (schema.block_type_id !== row.block_type_id) throw badRequest('A block document can only move to a schema of its own block type.')
  return schema
}

async function assertNoCycle(db: Db, id: string, referred: readonly DocumentReference[]): Promise<void> {
  if (referred.length === 0) return
  const ids = referred.map((reference) => reference.id)
  // With more references than that the document is refused, whether they lead back to it or not.
  const below = await readDocumentReferencesBelow(db, ids, referencesMax)
  const circle = ids.includes(id) || below.some((reference) => reference.reference_block_document_id === id)
  if (circle) throw badRequest('The block document would reference itself, directly or indirectly.')
}

/** Deletes a document. Documents that reference it lose the field. */
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
