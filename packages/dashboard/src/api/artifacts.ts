import type { ArtifactsFilterBody, LatestArtifactsCountBody, LatestArtifactsFilterBody } from '@millrace/contracts/artifact.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

const noun = 'artifacts'

export const artifactQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: ({ signal }) => client.artifacts.read(id, { signal }) })

export const artifactsQuery = (body: ArtifactsFilterBody) =>
  queryOptions({ queryKey: [noun, 'list', body], queryFn: ({ signal }) => client.artifacts.list(body, { signal }) })

/** Latest version of each key. */
export const latestArtifactsQuery = (body: LatestArtifactsFilterBody = {}) =>
  queryOptions({
    queryKey: [noun, 'latest', body],
    queryFn: ({ signal }) => client.artifacts.listLatest(body, { signal }),
    placeholderData: keepPreviousData,
  })

export const latestArtifactCountQuery = (body: LatestArtifactsCountBody = {}) =>
  queryOptions({
    queryKey: [noun, 'latest-count', body],
    queryFn: ({ signal }) => client.artifacts.countLatest(body, { signal }),
    placeholderData: keepPreviousData,
  })

export const deleteArtifact = (id: string) => client.artifacts.delete(id)
