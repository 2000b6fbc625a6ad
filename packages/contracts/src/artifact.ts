import Type, { type Static } from 'typebox'
import { byId, byName, byTextOrNot, flag, operatorField } from './filter.ts'
import { limit, offset } from './paging.ts'
import { defaulted, entityFields, FreeJson, model, namedEnum, nameLimits, nullable, orNull, parameters, response, Text, Uuid } from './primitives.ts'
import { byRuns } from './related-filters.ts'

/** The server truncates values to 500 characters, followed by `...`. */
const Metadata = Type.Record(Type.String(), Text)

const fields = {
  type: nullable(Text),
  description: nullable(Text),
  data: nullable(FreeJson),
  metadata_: nullable(Metadata),
  flow_run_id: nullable(Uuid),
  task_run_id: nullable(Uuid),
}

export const Artifact = response('Artifact', { ...entityFields, key: nullable(Text), ...fields })
export type Artifact = Static<typeof Artifact>

/** The newest artifact of a key, with a separate id. */
export const ArtifactCollection = response('ArtifactCollection', { ...entityFields, key: Text, latest_id: Uuid, ...fields })
export type ArtifactCollection = Static<typeof ArtifactCollection>

export const ArtifactCreate = model('ArtifactCreate', {
  key: orNull(Type.String({ pattern: '^[a-z0-9-]*$', maxLength: nameLimits.maxLength })),
  type: orNull(Text),
  description: orNull(Text),
  data: orNull(FreeJson),
  metadata_: orNull(Metadata),
  flow_run_id: orNull(Uuid),
  task_run_id: orNull(Uuid),
})
export type ArtifactCreate = Static<typeof ArtifactCreate>

export const ArtifactUpdate = model('ArtifactUpdate', {
  data: Type.Optional(nullable(FreeJson)),
  description: Type.Optional(nullable(Text)),
  metadata_: Type.Optional(nullable(Metadata)),
})
export type ArtifactUpdate = Static<typeof ArtifactUpdate>

const byKey = { ...byName, exists_: flag }

export const ArtifactFilterId = model('ArtifactFilterId', byId)
export const ArtifactFilterKey = model('ArtifactFilterKey', byKey)
export const ArtifactFilterFlowRunId = model('ArtifactFilterFlowRunId', byId)
export const ArtifactFilterTaskRunId = model('ArtifactFilterTaskRunId', byId)
export const ArtifactFilterType = model('ArtifactFilterType', byTextOrNot)

export const ArtifactFilter = model('ArtifactFilter', {
  ...operatorField,
  id: orNull(ArtifactFilterId),
  key: orNull(ArtifactFilterKey),
  flow_run_id: orNull(ArtifactFilterFlowRunId),
  task_run_id: orNull(ArtifactFilterTaskRunId),
  type: orNull(ArtifactFilterType),
})
export type ArtifactFilter = Static<typeof ArtifactFilter>

export const ArtifactCollectionFilterLatestId = model('ArtifactCollectionFilterLatestId', byId)
export const ArtifactCollectionFilterKey = model('ArtifactCollectionFilterKey', byKey)
export const ArtifactCollectionFilterFlowRunId = model('ArtifactCollectionFilterFlowRunId', byId)
export const ArtifactCollectionFilterTaskRunId = model('ArtifactCollectionFilterTaskRunId', byId)
export const ArtifactCollectionFilterType = model('ArtifactCollectionFilterType', byTextOrNot)

export const ArtifactCollectionFilter = model('ArtifactCollectionFilter', {
  ...operatorField,
  latest_id: orNull(ArtifactCollectionFilterLatestId),
  key: orNull(ArtifactCollectionFilterKey),
  flow_run_id: orNull(ArtifactCollectionFilterFlowRunId),
  task_run_id: orNull(ArtifactCollectionFilterTaskRunId),
  type: orNull(ArtifactCollectionFilterType),
})
export type ArtifactCollectionFilter = Static<typeof ArtifactCollectionFilter>

const sorts = ['CREATED_DESC', 'UPDATED_DESC', 'ID_DESC', 'KEY_DESC', 'KEY_ASC'] as const

export const ArtifactSort = namedEnum('ArtifactSort', ...sorts)
export type ArtifactSort = Static<typeof ArtifactSort>

export const ArtifactCollectionSort = namedEnum('ArtifactCollectionSort', ...sorts)
export type ArtifactCollectionSort = Static<typeof ArtifactCollectionSort>

export const ArtifactsCountBody = parameters({ artifacts: orNull(ArtifactFilter), ...byRuns })
export type ArtifactsCountBody = Static<typeof ArtifactsCountBody>
export const ArtifactsFilterBody = parameters({
  sort: defaulted(ArtifactSort, 'ID_DESC'),
  offset,
  artifacts: orNull(ArtifactFilter),
  ...byRuns,
  limit,
})
export type ArtifactsFilterBody = Static<typeof ArtifactsFilterBody>
export const LatestArtifactsCountBody = parameters({ artifacts: orNull(ArtifactCollectionFilter), ...byRuns })
export type LatestArtifactsCountBody = Static<typeof LatestArtifactsCountBody>
export const LatestArtifactsFilterBody = parameters({
  sort: defaulted(ArtifactCollectionSort, 'ID_DESC'),
  offset,
  artifacts: orNull(ArtifactCollectionFilter),
  ...byRuns,
  limit,
})
export type LatestArtifactsFilterBody = Static<typeof LatestArtifactsFilterBody>
