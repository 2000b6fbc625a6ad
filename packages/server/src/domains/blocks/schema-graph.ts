import type { BlockSchema } from '@millrace/contracts/block-schema.ts'
import { composeJsonText, rawJson } from '../../lib/json.ts'
import { formatTime } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import { type JsonObject, parseJsonObject } from './json-object.ts'
import { type BlockSchemaReferenceRow, type BlockSchemaRow, readBlockSchemas, readNestedSchemaReferences } from './schema-store.ts'
import { type BlockTypeRow, readBlockTypesById, toBlockTypeResponse } from './type-store.ts'

/** Schemas with all nested schemas, at any depth. */
export interface SchemaGraph {
  readonly schemas: ReadonlyMap<string, BlockSchemaRow>
  readonly types: ReadonlyMap<string, BlockTypeRow>
  readonly references: ReadonlyMap<string, readonly BlockSchemaReferenceRow[]>
}

export async function readSchemaGraph(db: Db, rows: readonly BlockSchemaRow[]): Promise<SchemaGraph> {
  if (rows.length === 0) return { schemas: new Map(), types: new Map(), references: new Map() }
  const known = new Map(rows.map((row) => [row.id, row]))
  const references = await readNestedSchemaReferences(db, [...known.keys()])
  const nested = await readBlockSchemas(
    db,
    [...new Set(references.map((reference) => reference.reference_block_schema_id))].filter((id) => !known.has(id)),
  )
  const schemas = new Map([...known, ...nested.map((row) => [row.id, row] as const)])
  const types = await readBlockTypesById(
    db,
    [...schemas.values()].map((row) => row.block_type_id),
  )
  return { schemas, types, references: Map.groupBy(references, (reference) => reference.parent_block_schema_id) }
}

export function toSchemaResponse(row: BlockSchemaRow, graph: SchemaGraph, fields = composeJsonText(expandFields(row, graph))): BlockSchema {
  const type = graph.types.get(row.block_type_id)
  return {
    id: row.id,
    created: formatTime(row.created),
    updated: formatTime(row.updated),
    checksum: row.checksum,
    fields: rawJson(fields),
    block_type_id: row.block_type_id,
    block_type: type ? toBlockTypeResponse(type) : null,
    capabilities: rawJson(row.capabilities),
    version: row.version,
  }
}

export async function toSchemaResponses(db: Db, rows: readonly BlockSchemaRow[]): Promise<BlockSchema[]> {
  const graph = await readSchemaGraph(db, rows)
  return rows.map((row) => toSchemaResponse(row, graph))
}

/** The fields in the format of clients: with references to nested blocks, whose fields are in the definitions. */
const expandFields = (row: BlockSchemaRow, graph: SchemaGraph): JsonObject => expandNested(row, graph, new Map())

/**
 * Each nested schema is expanded once, because the number of ways to it can grow exponentially with the depth. `expanded` holds undefined for the schemas
 * above.
 */
function expandNested(row: BlockSchemaRow, graph: SchemaGraph, expanded: Map<string, JsonObject | undefined>): JsonObject {
  const own = parseJsonObject(row.fields)
  expanded.set(row.id, undefined)
  const references: Record<string, unknown> = {}
  let definitions: JsonObject = {}
  for (const { reference_block_schema_id: id, name } of graph.references.get(row.id) ?? []) {
    const child = graph.schemas.get(id)
    if (!child) continue
    const nested = expanded.has(id) ? expanded.get(id) : expandNested(child, graph, expanded)
    if (!nested) continue
    const reference = { block_schema_checksum: child.checksum, block_type_slug: graph.types.get(child.block_type_id)?.slug }
    references[name] = name in references ? [references[name], reference].flat() : reference
    const { definitions: below, ...fields } = nested
    // Definitions are keyed by block title, on one level.
    if (typeof fields.title === 'string') definitions = { ...definitions, [fields.title]: fields, ...(below as JsonObject | undefined) }
  }
  const all = { ...(own.definitions as JsonObject | undefined), ...definitions }
  const fields = { ...own, block_schema_references: references, ...(Object.keys(all).length > 0 ? { definitions: all } : {}) }
  expanded.set(row.id, fields)
  return fields
}
