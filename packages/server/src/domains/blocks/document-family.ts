import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import { rawJson } from '../../lib/json.ts'
import { composeJsonText } from '../../lib/json-compose.ts'
import { formatTime } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import { toBoolean } from '../../storage/tables.ts'
import { type BlockDocumentReferenceRow, type BlockDocumentRow, readDocumentReferencesBelow, readDocuments } from './document-store.ts'
import { type JsonObject, readObject } from './json-tree.ts'
import type { Keyring } from './keyring.ts'
import { blockSchemaAnswer, readSchemaFamily, type SchemaFamily } from './schema-family.ts'
import { type BlockSchemaRow, readBlockSchemas } from './schema-store.ts'
import { masked, secretPaths } from './secret-fields.ts'
import { type BlockTypeRow, blockTypeAnswer, blockTypesById } from './type-store.ts'

/** Documents with all that they refer to, at any depth, decrypted. */
interface DocumentFamily {
  readonly documents: ReadonlyMap<string, BlockDocumentRow>
  readonly references: ReadonlyMap<string, readonly BlockDocumentReferenceRow[]>
  /** The data of each document, without its secrets unless they were asked for. */
  readonly data: ReadonlyMap<string, JsonObject>
  readonly types: ReadonlyMap<string, BlockTypeRow>
  readonly schemas: SchemaFamily
}

interface Reading {
  readonly keyring: Keyring
  readonly includeSecrets: boolean
}

export async function blockDocumentAnswers(db: Db, rows: readonly BlockDocumentRow[], reading: Reading): Promise<BlockDocument[]> {
  if (rows.length === 0) return []
  const family = await readFamily(db, rows, reading)
  return rows.map((row) => documentAnswer(row, family))
}

async function readFamily(db: Db, rows: readonly BlockDocumentRow[], { keyring, includeSecrets }: Reading): Promise<DocumentFamily> {
  const known = new Map(rows.map((row) => [row.id, row]))
  const references = await readDocumentReferencesBelow(db, [...known.keys()])
  const below = new Set(references.map((reference) => reference.reference_block_document_id)).difference(known)
  const all = [...rows, ...(await readDocuments(db, [...below]))]
  const schemaRows = await readBlockSchemas(db, [...new Set(all.map((row) => row.block_schema_id))])
  const schemas = await readSchemaFamily(db, schemaRows)
  const types = await blockTypesById(
    db,
    all.map((row) => row.block_type_id),
  )
  const secrets = new Map(schemaRows.map((row) => [row.id, secretPaths(readObject(row.fields))]))
  const texts = await keyring.unseal(db, all)
  const data = new Map(
    all.map((row, index) => {
      const plain = readObject(texts[index] as string)
      return [row.id, includeSecrets ? plain : masked(plain, secrets.get(row.block_schema_id) ?? [])]
    }),
  )
  return {
    documents: new Map(all.map((row) => [row.id, row])),
    references: Map.groupBy(references, (reference) => reference.parent_block_document_id),
    data,
    types,
    schemas,
  }
}

function documentAnswer(row: BlockDocumentRow, family: DocumentFamily): BlockDocument {
  const { data, references } = filledIn(row, family)
  const schema = family.schemas.schemas.get(row.block_schema_id) as BlockSchemaRow
  return {
    id: row.id,
    created: formatTime(row.created),
    updated: formatTime(row.updated),
    name: row.name,
    data: rawJson(composeJsonText(data)),
    block_schema_id: row.block_schema_id,
    block_schema: blockSchemaAnswer(schema, family.schemas),
    block_type_id: row.block_type_id,
    block_type_name: row.block_type_name,
    block_type: typeOf(row, family),
    block_document_references: references,
    is_anonymous: toBoolean(row.is_anonymous),
  }
}

interface FilledIn {
  readonly data: JsonObject
  readonly references: Record<string, Record<string, unknown>>
}

/** Puts the data of the documents that a document refers to in their places. */
function filledIn(row: BlockDocumentRow, family: DocumentFamily, above: ReadonlySet<string> = new Set()): FilledIn {
  const path = new Set([...above, row.id])
  const data = family.data.get(row.id) as JsonObject
  const inner: Record<string, unknown> = {}
  const references: Record<string, Record<string, unknown>> = {}
  for (const { reference_block_document_id: id, name } of family.references.get(row.id) ?? []) {
    const child = family.documents.get(id)
    if (!child || path.has(id)) continue
    const filled = filledIn(child, family, path)
    inner[name] = filled.data
    references[name] = {
      block_document: {
        id,
        name: child.name,
        block_type: typeOf(child, family),
        is_anonymous: toBoolean(child.is_anonymous),
        block_document_references: filled.references,
      },
    }
  }
  return { data: Object.keys(inner).length === 0 ? data : { ...data, ...inner }, references }
}

const typeOf = (row: BlockDocumentRow, { types }: DocumentFamily) => blockTypeAnswer(types.get(row.block_type_id) as BlockTypeRow)
