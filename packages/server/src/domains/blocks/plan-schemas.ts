import { conflict, invalid } from '../../errors.ts'
import { composeJsonText } from '../../lib/json.ts'
import { isJsonObject } from '../../lib/json-exact.ts'
import type { Db } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { schemaChecksum } from './checksum.ts'
import type { JsonObject } from './json-object.ts'
import { collectReferences, definitionKey, usedDefinitions } from './schema-definitions.ts'
import { type BlockSchemaReferenceRow, type BlockSchemaRow, readBlockSchemaByChecksum } from './schema-store.ts'
import { type BlockTypeRow, readBlockTypeBySlug } from './type-store.ts'

interface SchemaRequest {
  readonly type: BlockTypeRow
  readonly fields: JsonObject
  /** JSON of a list. */
  readonly capabilities: string
  readonly version: string
}

export interface SchemaPlan {
  readonly schemas: BlockSchemaRow[]
  readonly references: BlockSchemaReferenceRow[]
}

/** A schema that is defined only within a parent has no version and no capabilities. */
const unknownVersion = 'non-versioned'

/**
 * Plans the rows for a schema with its nested schemas. Writes nothing, so that a rejection costs nothing. The definitions of the received
 * schema apply to all nested schemas, at any depth.
 */
export async function planSchemas({ clock, newId }: ServerContext, db: Db, wanted: SchemaRequest): Promise<SchemaPlan> {
  const plan: SchemaPlan = { schemas: [], references: [] }
  const now = clock.now()
  const definitions =
    isJsonObject(wanted.fields.definitions) && Object.keys(wanted.fields.definitions).length > 0 ? wanted.fields.definitions : undefined

  const planned = (checksum: string, version: string | null) =>
    plan.schemas.find((row) => row.checksum === checksum && (version === null || row.version === version))

  async function schema({ type, fields, capabilities, version }: SchemaRequest): Promise<string> {
    const counted = definitions ? { ...fields, definitions } : fields
    const checksum = schemaChecksum(counted)
    const known = planned(checksum, version) ?? (await readBlockSchemaByChecksum(db, checksum, version))
    if (known) return known.id
    const { block_schema_references: references, definitions: own, ...rest } = fields
    const kept = definitions ? usedDefinitions(counted, definitions) : own
    const withDefinitions = kept !== undefined && (!definitions || Object.keys(kept as object).length > 0)
    const text = composeJsonText(withDefinitions ? { ...rest, definitions: kept } : rest)
    const id = newId()
    plan.schemas.push({ id, created: now, updated: now, block_type_id: type.id, checksum, fields: text, capabilities, version })
    for (const { name, slug, checksum } of parseNestedReferences(references)) {
      const reference = await nested(fields, name, slug, checksum)
      const isNew = !plan.references.some(
        (row) => row.parent_block_schema_id === id && row.reference_block_schema_id === reference && row.name === name,
      )
      if (isNew) plan.references.push({ id: newId(), parent_block_schema_id: id, reference_block_schema_id: reference, name })
    }
    return id
  }

  async function nested(parent: JsonObject, name: string, slug: string, checksum: string): Promise<string> {
    const type = await readBlockTypeBySlug(db, slug)
    if (!type) throw conflict(`The schema nests a block of the type "${slug}", which does not exist. Register that type first.`)
    const known = planned(checksum, null) ?? (await readBlockSchemaByChecksum(db, checksum, null))
    if (known) return known.id
    const fields = definitionOf(parent, name, slug)
    if (!fields) throw conflict(`The schema nests a block of the type "${slug}", which has neither a schema nor a definition.`)
    return schema({ type, fields, capabilities: '[]', version: unknownVersion })
  }

  /** The definition that the field references; with several, the one of the block type. */
  function definitionOf({ properties }: JsonObject, name: string, slug: string): JsonObject | undefined {
    const keys = collectReferences(isJsonObject(properties) ? properties[name] : undefined).map(definitionKey)
    const candidates = keys.map((key) => definitions?.[key]).filter(isJsonObject)
    return keys.length === 1 ? candidates[0] : candidates.find((candidate) => candidate.block_type_slug === slug)
  }

  await schema(wanted)
  return plan
}

interface Nested {
  readonly name: string
  readonly slug: string
  readonly checksum: string
}

function parseNestedReferences(references: unknown): Nested[] {
  if (references == null) return []
  if (!isJsonObject(references)) throw malformedReferences()
  return Object.entries(references).flatMap(([name, given]) =>
    [given].flat().map((entry) => {
      if (!isJsonObject(entry) || typeof entry.block_type_slug !== 'string' || typeof entry.block_schema_checksum !== 'string')
        throw malformedReferences()
      return { name, slug: entry.block_type_slug, checksum: entry.block_schema_checksum }
    }),
  )
}

const malformedReferences = () =>
  invalid(['body', 'fields', 'block_schema_references'], 'Each reference to a nested block needs a block_type_slug and a block_schema_checksum.')
