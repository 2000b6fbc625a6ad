import type { Artifact, ArtifactCollection, ArtifactsFilterBody, LatestArtifactsFilterBody } from '@millrace/contracts/artifact.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { Sent } from './sent.ts'

const noun = 'artifacts'

export const artifactsQuery = (body: Sent<typeof ArtifactsFilterBody>) =>
  queryOptions({ queryKey: [noun, 'list', body], queryFn: ({ signal }) => call<Artifact[]>('POST', '/artifacts/filter', { body, signal }) })

/** The newest of each key. */
export const latestArtifactsQuery = (body: Sent<typeof LatestArtifactsFilterBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'latest', body],
    queryFn: ({ signal }) => call<ArtifactCollection[]>('POST', '/artifacts/latest/filter', { body, signal }),
  })
