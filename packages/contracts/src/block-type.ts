import Type, { type Static } from 'typebox'
import { BlockSchemaFilter, BlockTypeFilter } from './block-filter.ts'
import { limit, offset } from './paging.ts'
import { entityFields, model, nameLimits, nullable, orNull, PathName, parameters, response, Text } from './primitives.ts'

export const BlockType = response('BlockType', {
  ...entityFields,
  name: PathName,
  slug: Text,
  logo_url: nullable(Text),
  documentation_url: nullable(Text),
  description: nullable(Text),
  code_example: nullable(Text),
  is_protected: Type.Boolean(),
})
export type BlockType = Static<typeof BlockType>

export const BlockTypeCreate = model('BlockTypeCreate', {
  // In an index together with the name of a document, which has at most 1,000 bytes.
  name: Type.String({ pattern: '^[^/%&><]+$', minLength: 1, ...nameLimits, 'x-bytes-max': 1600 }),
  slug: Type.String({ pattern: '^[a-z0-9-]*$', maxLength: nameLimits.maxLength }),
  logo_url: orNull(Text),
  documentation_url: orNull(Text),
  description: orNull(Text),
  code_example: orNull(Text),
})
export type BlockTypeCreate = Static<typeof BlockTypeCreate>

export const BlockTypeUpdate = model('BlockTypeUpdate', {
  logo_url: Type.Optional(nullable(Text)),
  documentation_url: Type.Optional(nullable(Text)),
  description: Type.Optional(nullable(Text)),
  code_example: Type.Optional(nullable(Text)),
})
export type BlockTypeUpdate = Static<typeof BlockTypeUpdate>

export const BlockTypesFilterBody = parameters({ block_types: orNull(BlockTypeFilter), block_schemas: orNull(BlockSchemaFilter), offset, limit })
export type BlockTypesFilterBody = Static<typeof BlockTypesFilterBody>
