import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import { composeJsonText, rawJson } from '../../lib/json.ts'
import { formatTime } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import { toBoolean } from '../../storage/tables.ts'
import { type BlockDocumentReferenceRow, type BlockDocumentRow, readDocumentReferencesBelow, readDocuments } from './document-store.ts'
import { type JsonObject, parseJsonObject } from './json-object.ts'
import type { Keyring } from './keyring.ts'
import { readSchemaGraph, type SchemaGraph, toSchemaResponse } from './schema-graph.ts'
import { type BlockSchemaRow, readBlockSchemas } from './schema-store.ts'
import { maskSecrets, secretPaths } from './secret-fields.ts'
import { type BlockTypeRow, readBlockTypesById, toBlockTypeResponse } from './type-store.ts'

/** Documents with all referenced documents, at any depth, decrypted. */
interface DocumentGraph {
  readonly documents: ReadonlyMap<string, BlockDocumentRow>
  readonly references: ReadonlyMap<string, readonly BlockDocumentReferenceRow[]>
  /** The data of each document; secrets are masked unless requested. */
  readonly data: ReadonlyMap<string, JsonObject>
  readonly types: ReadonlyMap<string, BlockTypeRow>
  readonly schemas: SchemaGraph
}

interface ReadOptions {
  readonly keyring: Keyring
  readonly includeSecrets: boolean
}

export async function toDocumentResponses(db: Db, rows: readonly BlockDocumentRow[], reading: ReadOptions): Promise<BlockDocument[]> {
  if (rows.length === 0) return []
  const graph = await readDocumentGraph(db, rows, reading)
  return rows.map((row) => toDocumentResponse(row, graph))
}

async function readDocumentGraph(db: Db, rows: readonly BlockDocumentRow[], { keyring, includeSecrets }: ReadOptions): Promise<DocumentGraph> {
  const known = new Map(rows.map((row) => [row.id, row]))
  const references = await readDocumentReferencesBelow(db, [...known.keys()])
  const below = new Set(references.map((reference) => reference.reference_block_document_id)).difference(known)
  const all = [...rows, ...(await readDocuments(db, [...below]))]
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
  return {
    documents: new Map(all.map((row) => [row.id, row])),
    references: Map.groupBy(references, (reference) => reference.parent_block_document_id),
    data,
    types,
    schemas,
  }
}

function toDocumentResponse(row: BlockDocumentRow, graph: DocumentGraph): BlockDocument {
  const { data, references } = expandReferences(row, graph)
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
    block_type: typeOf(row, graph),
    block_document_references: references,
    is_anonymous: toBoolean(row.is_anonymous),
  }
}

interface ExpandedDocument {
  readonly data: JsonObject
  readonly references: Record<string, Record<string, unknown>>
}

/** Inserts the data of referenced documents. */
function expandReferences(row: BlockDocumentRow, graph: DocumentGraph, above: ReadonlySet<string> = new Set()): ExpandedDocument {
  const path = new Set([...above, row.id])
  const data = graph.data.get(row.id) as JsonObject
  const inner: Record<string, unknown> = {}
  const references: Record<string, Record<string, unknown>> = {}
  for (const { reference_block_document_id: id, name } of graph.references.get(row.id) ?? []) {
    const child = graph.documents.get(id)
    if (!child || path.has(id)) continue
    const filled = expandReferences(child, graph, path)
    inner[name] = filled.data
    references[name] = {
      block_document: {
        id,
        name: child.name,
        block_type: typeOf(child, graph),
        is_anonymous: toBoolean(child.is_anonymous),
        block_document_references: filled.references,
      },
    }
  }
  return { data: Object.keys(inner).length === 0 ? data : { ...data, ...inner }, references }
}

const typeOf = (row: BlockDocumentRow, { types }: DocumentGraph) => toBlockTypeResponse(types.get(row.block_type_id) as BlockTypeRow)
