import type { BlockSchema, BlockSchemaCreate } from '@millrace/contracts/block-schema.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { conflict, notFound } from '../../errors.ts'
import { composeJsonText, jsonText } from '../../lib/json.ts'
import { isJsonObject } from '../../lib/json-exact.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { schemaChecksum } from './checksum.ts'
import { planSchemas } from './plan-schemas.ts'
import { toSchemaResponse, toSchemaResponses } from './schema-graph.ts'
import { type BlockSchemaRow, insertBlockSchemaReferences, insertBlockSchemas, readBlockSchemaByChecksum } from './schema-store.ts'
import { lockBlockTypes } from './type-store.ts'

interface CreatedSchema {
  readonly isNew: boolean
  readonly schema: BlockSchema
}

/** Creates a schema with its nested schemas, or returns the one with the same checksum and version. */
export const createBlockSchema =
  (context: ServerContext, body: Received<typeof BlockSchemaCreate>) =>
  async (tx: Tx): Promise<CreatedSchema> => {
    // The lock serializes schemas of one type, so that the plan is still valid when it is written.
    const types = await lockBlockTypes(tx, body.block_type_id, nestedTypeSlugs(body.fields))
    const type = types.find(({ id }) => id === body.block_type_id)
    if (!type) throw notFound(`Block type ${body.block_type_id}`)
    const checksum = schemaChecksum(body.fields)
    const known = await readBlockSchemaByChecksum(tx, checksum, body.version)
    if (known) return toExisting(tx, known)

    const { schemas, references } = await planSchemas(context, tx, {
      type,
      fields: body.fields,
      capabilities: jsonText(body.capabilities),
      version: body.version,
    })
    // Only a concurrent schema of another type with equal fields can cause this.
    if ((await insertBlockSchemas(tx, schemas)) < schemas.length)
      throw conflict('Another request created the same schema for another block type. Try again.')
    await insertBlockSchemaReferences(tx, references)
    const fields = composeJsonText({ ...body.fields, block_schema_references: body.fields.block_schema_references ?? {} })
    const family = { schemas: new Map(), types: new Map([[type.id, type]]), references: new Map() }
    return { isNew: true, schema: toSchemaResponse(schemas[0] as BlockSchemaRow, family, fields) }
  }

const toExisting = async (tx: Tx, row: BlockSchemaRow): Promise<CreatedSchema> => ({
  isNew: false,
  schema: (await toSchemaResponses(tx, [row]))[0] as BlockSchema,
})

/** The types of all nested blocks, at any depth. */
function nestedTypeSlugs(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(nestedTypeSlugs)
  if (!isJsonObject(value)) return []
  return [...(typeof value.block_type_slug === 'string' ? [value.block_type_slug] : []), ...Object.values(value).flatMap(nestedTypeSlugs)]
}
