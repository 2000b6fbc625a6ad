import Type, { type Static } from 'typebox'
import { FlowFilter } from './flow-filter.ts'
import { bulkLimit, limit, offset, page, pageInfo } from './paging.ts'
import {
  defaulted,
  entityFields,
  Labels,
  model,
  NewPathName,
  namedEnum,
  nullable,
  orNull,
  PathName,
  parameters,
  response,
  Tags,
  Uuid,
} from './primitives.ts'
import { byRunsAndPools } from './related-filters.ts'

export const Flow = response('Flow', { ...entityFields, name: PathName, tags: Tags, labels: nullable(Labels) })
export type Flow = Static<typeof Flow>

export const FlowCreate = model('FlowCreate', { name: NewPathName, tags: defaulted(Tags, []), labels: defaulted(nullable(Labels), {}) })
export type FlowCreate = Static<typeof FlowCreate>

export const FlowUpdate = model('FlowUpdate', { tags: Type.Optional(Tags) })
export type FlowUpdate = Static<typeof FlowUpdate>

export const FlowSort = namedEnum('FlowSort', 'CREATED_DESC', 'UPDATED_DESC', 'NAME_ASC', 'NAME_DESC')
export type FlowSort = Static<typeof FlowSort>

const sort = defaulted(FlowSort, 'NAME_ASC')

export const FlowsCountBody = parameters(byRunsAndPools)
export type FlowsCountBody = Static<typeof FlowsCountBody>
export const FlowsFilterBody = parameters({ offset, ...byRunsAndPools, sort, limit })
export type FlowsFilterBody = Static<typeof FlowsFilterBody>
export const FlowsPaginateBody = parameters({ page, ...byRunsAndPools, sort, limit })
export type FlowsPaginateBody = Static<typeof FlowsPaginateBody>
export const FlowsBulkDeleteBody = parameters({ flows: orNull(FlowFilter), limit: bulkLimit })
export type FlowsBulkDeleteBody = Static<typeof FlowsBulkDeleteBody>

export const FlowPaginationResponse = response('FlowPaginationResponse', { results: Type.Array(Flow), ...pageInfo })
export type FlowPaginationResponse = Static<typeof FlowPaginationResponse>

export const FlowBulkDeleteResponse = response('FlowBulkDeleteResponse', { deleted: Type.Array(Uuid) })
export type FlowBulkDeleteResponse = Static<typeof FlowBulkDeleteResponse>
