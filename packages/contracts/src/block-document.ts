import Type, { type Static } from 'typebox'
import { BlockDocumentFilter, BlockSchemaFilter, BlockTypeFilter } from './block-filter.ts'
import { BlockSchema } from './block-schema.ts'
import { BlockType } from './block-type.ts'
import { limit, offset } from './paging.ts'
import {
  defaulted,
  entityFields,
  FreeObject,
  model,
  namedEnum,
  nameLimits,
  nullable,
  orNull,
  PathName,
  parameters,
  response,
  Text,
  Uuid,
} from './primitives.ts'

export const BlockDocument = response('BlockDocument', {
  ...entityFields,
  name: nullable(PathName),
  data: FreeObject,
  block_schema_id: Uuid,
  block_schema: nullable(BlockSchema),
  block_type_id: Uuid,
  block_type_name: nullable(Text),
  block_type: nullable(BlockType),
  block_document_references: Type.Record(Type.String(), FreeObject),
  is_anonymous: Type.Boolean(),
})
export type BlockDocument = Static<typeof BlockDocument>

/** Only an anonymous document may have no name. */
export const BlockDocumentCreate = model('BlockDocumentCreate', {
  name: orNull(Type.String({ pattern: '^[a-z0-9-]*$', maxLength: nameLimits.maxLength })),
  data: defaulted(FreeObject, {}),
  block_schema_id: Uuid,
  block_type_id: Uuid,
  is_anonymous: defaulted(Type.Boolean(), false),
})
export type BlockDocumentCreate = Static<typeof BlockDocumentCreate>

/** Omitted data is cleared unless it is merged. */
export const BlockDocumentUpdate = model('BlockDocumentUpdate', {
  block_schema_id: Type.Optional(nullable(Uuid)),
  data: Type.Optional(FreeObject),
  merge_existing_data: defaulted(Type.Boolean(), true),
})
export type BlockDocumentUpdate = Static<typeof BlockDocumentUpdate>

export const BlockDocumentSort = namedEnum('BlockDocumentSort', 'NAME_DESC', 'NAME_ASC', 'BLOCK_TYPE_AND_NAME_ASC')
export type BlockDocumentSort = Static<typeof BlockDocumentSort>

const byBlocks = {
  block_documents: orNull(BlockDocumentFilter),
  block_types: orNull(BlockTypeFilter),
  block_schemas: orNull(BlockSchemaFilter),
}
const include_secrets = defaulted(Type.Boolean(), false)

export const BlockDocumentsCountBody = parameters(byBlocks)
export type BlockDocumentsCountBody = Static<typeof BlockDocumentsCountBody>
export const BlockDocumentsFilterBody = parameters({
  ...byBlocks,
  include_secrets,
  sort: defaulted(nullable(BlockDocumentSort), 'NAME_ASC'),
  offset,
  limit,
})
export type BlockDocumentsFilterBody = Static<typeof BlockDocumentsFilterBody>
export const IncludeSecretsQuery = Type.Object({ include_secrets })
export type IncludeSecretsQuery = Static<typeof IncludeSecretsQuery>
