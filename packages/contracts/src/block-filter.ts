import type { Static } from 'typebox'
import { byId, byName, byText, fewTexts, flag, operatorField, pattern } from './filter.ts'
import { defaulted, model, nullable, orNull } from './primitives.ts'

/** The filters of block types, schemas and documents. The lists of each noun accept the filters of the others. */

export const BlockTypeFilterName = model('BlockTypeFilterName', { like_: pattern })
export const BlockTypeFilterSlug = model('BlockTypeFilterSlug', byText)

export const BlockTypeFilter = model('BlockTypeFilter', { name: orNull(BlockTypeFilterName), slug: orNull(BlockTypeFilterSlug) })
export type BlockTypeFilter = Static<typeof BlockTypeFilter>

export const BlockSchemaFilterId = model('BlockSchemaFilterId', byId)
export const BlockSchemaFilterBlockTypeId = model('BlockSchemaFilterBlockTypeId', byId)
export const BlockSchemaFilterCapabilities = model('BlockSchemaFilterCapabilities', { all_: fewTexts })
export const BlockSchemaFilterVersion = model('BlockSchemaFilterVersion', byText)

export const BlockSchemaFilter = model('BlockSchemaFilter', {
  ...operatorField,
  block_type_id: orNull(BlockSchemaFilterBlockTypeId),
  block_capabilities: orNull(BlockSchemaFilterCapabilities),
  id: orNull(BlockSchemaFilterId),
  version: orNull(BlockSchemaFilterVersion),
})
export type BlockSchemaFilter = Static<typeof BlockSchemaFilter>

export const BlockDocumentFilterId = model('BlockDocumentFilterId', byId)
export const BlockDocumentFilterBlockTypeId = model('BlockDocumentFilterBlockTypeId', byId)
export const BlockDocumentFilterIsAnonymous = model('BlockDocumentFilterIsAnonymous', { eq_: flag })
export const BlockDocumentFilterName = model('BlockDocumentFilterName', byName)

/** Excludes anonymous documents by default; null includes both kinds. */
export const BlockDocumentFilter = model('BlockDocumentFilter', {
  ...operatorField,
  id: orNull(BlockDocumentFilterId),
  is_anonymous: defaulted(nullable(BlockDocumentFilterIsAnonymous), { eq_: false }),
  block_type_id: orNull(BlockDocumentFilterBlockTypeId),
  name: orNull(BlockDocumentFilterName),
})
export type BlockDocumentFilter = Static<typeof BlockDocumentFilter>
