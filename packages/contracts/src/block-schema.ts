import Type, { type Static } from 'typebox'
import { BlockSchemaFilter } from './block-filter.ts'
import { BlockType } from './block-type.ts'
import { limit, offset } from './paging.ts'
import { defaulted, entityFields, FreeObject, model, nullable, orNull, parameters, response, Text, Uuid } from './primitives.ts'

const Capabilities = Type.Array(Text)

export const BlockSchema = response('BlockSchema', {
  ...entityFields,
  checksum: Text,
  fields: FreeObject,
  block_type_id: nullable(Uuid),
  block_type: nullable(BlockType),
  capabilities: Capabilities,
  version: Text,
})
export type BlockSchema = Static<typeof BlockSchema>

export const BlockSchemaCreate = model('BlockSchemaCreate', {
  fields: defaulted(FreeObject, {}),
  block_type_id: Uuid,
  capabilities: defaulted(Capabilities, []),
  version: defaulted(Text, 'non-versioned'),
})
export type BlockSchemaCreate = Static<typeof BlockSchemaCreate>

export const BlockSchemasFilterBody = parameters({ block_schemas: orNull(BlockSchemaFilter), offset, limit })
export type BlockSchemasFilterBody = Static<typeof BlockSchemasFilterBody>
export const BlockSchemaChecksumQuery = Type.Object({ version: orNull(Text) })
export type BlockSchemaChecksumQuery = Static<typeof BlockSchemaChecksumQuery>

export const BlockCapabilities = Capabilities
export type BlockCapabilities = Static<typeof BlockCapabilities>
