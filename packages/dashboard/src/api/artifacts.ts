import type {
  Artifact,
  ArtifactCollection,
  ArtifactsFilterBody,
  LatestArtifactsCountBody,
  LatestArtifactsFilterBody,
} from '@millrace/contracts/artifact.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type RequestBody } from './client.ts'

const noun = 'artifacts'

export const artifactQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: ({ signal }) => call<Artifact>('GET', `/artifacts/${id}`, { signal }) })

export const artifactsQuery = (body: RequestBody<typeof ArtifactsFilterBody>) =>
  queryOptions({ queryKey: [noun, 'list', body], queryFn: ({ signal }) => call<Artifact[]>('POST', '/artifacts/filter', { body, signal }) })

/** Latest version of each key. */
export const latestArtifactsQuery = (body: RequestBody<typeof LatestArtifactsFilterBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'latest', body],
    queryFn: ({ signal }) => call<ArtifactCollection[]>('POST', '/artifacts/latest/filter', { body, signal }),
    placeholderData: keepPreviousData,
  })

export const latestArtifactCountQuery = (body: RequestBody<typeof LatestArtifactsCountBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'latest-count', body],
    queryFn: ({ signal }) => call<number>('POST', '/artifacts/latest/count', { body, signal }),
    placeholderData: keepPreviousData,
  })

export const deleteArtifact = (id: string) => call<null>('DELETE', `/artifacts/${id}`)
