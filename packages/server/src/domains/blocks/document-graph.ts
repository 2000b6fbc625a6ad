import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import type { BlockType } from '@millrace/contracts/block-type.ts'
import { badRequest } from '../../errors.ts'
import { composeJsonText, rawJson } from '../../lib/json.ts'
import { formatTime } from '../../lib/time.ts'
import type { Db, Tx } from '../../storage/database.ts'
import { toBoolean } from '../../storage/tables.ts'
import { type BlockDocumentReferenceRow, type BlockDocumentRow, readDataBytes, readDocumentReferencesBelow, readDocuments } from './document-store.ts'
import { DocumentExpander, type ExpandedDocument } from './expand-documents.ts'
import { type JsonObject, parseJsonObject } from './json-object.ts'
import type { Keyring } from './keyring.ts'
import { readSchemaGraph, type SchemaGraph, toSchemaResponse } from './schema-graph.ts'
import { type BlockSchemaRow, readBlockSchemas } from './schema-store.ts'
import { maskSecrets, secretPaths } from './secret-fields.ts'
import { type BlockTypeRow, readBlockTypesById, toBlockTypeResponse } from './type-store.ts'

/** Documents with all documents that they refer to, decrypted. */
interface DocumentGraph {
  readonly expander: DocumentExpander
  readonly references: ReadonlyMap<string, readonly BlockDocumentReferenceRow[]>
  readonly data: ReadonlyMap<string, JsonObject>
  /** Whether the documents refer to more than can be read. Then none was read. */
  readonly isIncomplete: boolean
  readonly typeOf: (row: BlockDocumentRow) => BlockType
  readonly schemas: SchemaGraph
}

interface ReadOptions {
  readonly keyring: Keyring
  readonly includeSecrets: boolean
}

/** What the references of a document may insert, each document as often as it is inserted. */
const insertedMax = 1000
const depthMax = 50
/** Also of all documents of a list together. */
const charactersMax = 4_000_000
/** References below the documents of a response. */
export const referencesMax = 20_000

/** A document with the data of all documents that it refers to. Throws 400 if it is too large with them. */
export async function toDocumentResponse(db: Db, row: BlockDocumentRow, reading: ReadOptions): Promise<BlockDocument> {
  const graph = await readDocumentGraph(db, [row], reading)
  const expanded = expandWithin(row, graph, charactersMax)
  if (!expanded) throw tooLargeWithReferences(row)
  return compose(row, graph, expanded)
}

/**
 * The same for the documents of a list. Those that are too large keep their references as they were sent, and so do those after four megabytes of inserted
 * data: one of them must not make the others unreadable.
 */
export async function toDocumentResponses(db: Db, rows: readonly BlockDocumentRow[], reading: ReadOptions): Promise<BlockDocument[]> {
  if (rows.length === 0) return []
  const graph = await readDocumentGraph(db, rows, reading)
  let left = charactersMax
  return rows.map((row) => {
    const expanded = expandWithin(row, graph, left)
    if (!expanded) return compose(row, graph, { data: withPlainReferences(row, graph), references: {} })
    left -= expanded.characters
    return compose(row, graph, expanded)
  })
}

/** Rejects a document whose references make it too large. Called after its change, in the transaction. */
export async function assertExpandable(tx: Tx, row: BlockDocumentRow, keyring: Keyring): Promise<void> {
  const graph = await readDocumentGraph(tx, [row], { keyring, includeSecrets: false })
  if (!expandWithin(row, graph, charactersMax)) throw tooLargeWithReferences(row)
}

const tooLargeWithReferences = ({ name }: BlockDocumentRow) =>
  badRequest(
    `Block document "${name}" is too large with the documents that it refers to. These may be ${insertedMax}, counted as often as they are inserted, ` +
      `on ${depthMax} levels, with ${charactersMax / 1_000_000} MB in total. Remove references.`,
  )

function expandWithin(row: BlockDocumentRow, { expander, isIncomplete }: DocumentGraph, characters: number): ExpandedDocument | undefined {
  if (isIncomplete) return undefined
  const expanded = expander.expand(row.id)
  const fits = expanded.inserted <= insertedMax && expanded.depth <= depthMax && expanded.characters <= characters
  return fits ? expanded : undefined
}

async function readDocumentGraph(db: Db, rows: readonly BlockDocumentRow[], { keyring, includeSecrets }: ReadOptions): Promise<DocumentGraph> {
  const known = new Map(rows.map((row) => [row.id, row]))
  const references = await readDocumentReferencesBelow(db, [...known.keys()], referencesMax)
  const below = [...new Set(references.map((reference) => reference.reference_block_document_id)).difference(known)]
  const isIncomplete = references.length === referencesMax || (await readDataBytes(db, below)) > 2 * charactersMax
  const all = isIncomplete ? rows : [...rows, ...(await readDocuments(db, below))]
  const schemaRows = await readBlockSchemas(db, [...new Set(all.map((row) => row.block_schema_id))])
  const schemas = await readSchemaGraph(db, schemaRows)
  const types = await readBlockTypesById(
    db,
    all.map((row) => row.block_type_id),
  )
  const secrets = new Map(schemaRows.map((row) => [row.id, secretPaths(parseJsonObject(row.fields))]))
  const texts = await keyring.decrypt(db, all)
  const data = new Map(
    all.map((row, index) => {
      const plain = parseJsonObject(texts[index] as string)
      return [row.id, includeSecrets ? plain : maskSecrets(plain, secrets.get(row.block_schema_id) ?? [])]
    }),
  )
  const byParent = Map.groupBy(references, (reference) => reference.parent_block_document_id)
  const typeOf = (row: BlockDocumentRow) => toBlockTypeResponse(types.get(row.block_type_id) as BlockTypeRow)
  const documents = new Map(all.map((row) => [row.id, row]))
  const lengths = new Map(all.map((row, index) => [row.id, (texts[index] as string).length]))
  const expander = new DocumentExpander({ documents, references: byParent, data, lengths, typeOf })
  return { expander, references: byParent, data, isIncomplete, typeOf, schemas }
}

/** The data with the references of the document itself, which the list leaves as they are. */
const withPlainReferences = (row: BlockDocumentRow, { data, references }: DocumentGraph): JsonObject => ({
  ...data.get(row.id),
  ...Object.fromEntries(
    (references.get(row.id) ?? []).map(({ name, reference_block_document_id: id }) => [name, { $ref: { block_document_id: id } }] as const),
  ),
})

function compose(row: BlockDocumentRow, graph: DocumentGraph, { data, references }: Pick<ExpandedDocument, 'data' | 'references'>): BlockDocument {
  const schema = graph.schemas.schemas.get(row.block_schema_id) as BlockSchemaRow
  return {
    id: row.id,
    created: formatTime(row.created),
    updated: formatTime(row.updated),
    name: row.name,
    data: rawJson(composeJsonText(data)),
    block_schema_id: row.block_schema_id,
    block_schema: toSchemaResponse(schema, graph.schemas),
    block_type_id: row.block_type_id,
    block_type_name: row.block_type_name,
    block_type: graph.typeOf(row),
    block_document_references: references as BlockDocument['block_document_references'],
    is_anonymous: toBoolean(row.is_anonymous),
  }
}
