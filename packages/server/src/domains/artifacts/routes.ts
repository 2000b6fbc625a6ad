import {
  Artifact,
  ArtifactCollection,
  ArtifactCreate,
  ArtifactsCountBody,
  ArtifactsFilterBody,
  ArtifactUpdate,
  LatestArtifactsCountBody,
  LatestArtifactsFilterBody,
} from '@millrace/contracts/artifact.ts'
import { Count } from '@millrace/contracts/paging.ts'
import { Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { IdParams, pageLimit } from '../request-params.ts'
import { readsFor } from '../text-searches.ts'
import { changeArtifact, createArtifact, removeArtifact } from './change-artifact.ts'
import {
  countArtifacts,
  countCollections,
  listArtifacts,
  listCollections,
  readArtifact,
  readCollection,
  toArtifactResponse,
  toCollectionResponse,
} from './store.ts'

const tag = 'Artifacts'
const read = 'artifacts:read'
const write = 'artifacts:write'

export function artifactRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, config } = context
  const limitMax = config.server.api.default_limit
  return [
    route(
      {
        method: 'POST',
        path: '/artifacts/',
        tag,
        summary: 'Create an artifact',
        description: 'It becomes the latest of its key. Long metadata values are shortened.',
        scope: write,
        kind: 'change',
        body: ArtifactCreate,
        responses: { 201: Artifact },
      },
      async ({ body, actor }) => toArtifactResponse(await writeQueue.as(actor).submit(createArtifact(context, body))),
    ),
    route(
      {
        method: 'GET',
        path: '/artifacts/:id',
        tag,
        summary: 'Read an artifact',
        scope: read,
        kind: 'query',
        params: IdParams,
        responses: { 200: Artifact },
      },
      async ({ params }) => {
        const row = await readArtifact(reads, params.id)
        if (!row) throw notFound('Artifact')
        return toArtifactResponse(row)
      },
    ),
    route(
      {
        method: 'GET',
        path: '/artifacts/:key/latest',
        tag,
        summary: 'Read the latest artifact of a key',
        scope: read,
        kind: 'query',
        params: Type.Object({ key: Text }),
        responses: { 200: Artifact },
      },
      async ({ params }) => {
        const row = await readCollection(reads, params.key)
        if (!row) throw notFound('Artifact')
        return toArtifactResponse(row)
      },
    ),
    route(
      {
        method: 'PATCH',
        path: '/artifacts/:id',
        tag,
        summary: 'Update an artifact',
        description: 'Changes the given fields only. Emits no event.',
        scope: write,
        kind: 'change',
        params: IdParams,
        body: ArtifactUpdate,
        responses: { 204: null },
      },
      ({ params, body, actor }) => writeQueue.as(actor).submit(changeArtifact(context, params.id, body)),
    ),
    route(
      {
        method: 'DELETE',
        path: '/artifacts/:id',
        tag,
        summary: 'Delete an artifact',
        description: 'If it was the latest of its key, the previous one takes its place. With the last one the key is deleted.',
        scope: write,
        kind: 'change',
        params: IdParams,
        responses: { 204: null },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(removeArtifact(context, params.id)),
    ),
    route(
      {
        method: 'POST',
        path: '/artifacts/filter',
        tag,
        summary: 'List artifacts',
        scope: read,
        kind: 'query',
        body: ArtifactsFilterBody,
        responses: { 200: Type.Array(Artifact) },
      },
      async ({ body }) => {
        const limit = pageLimit(body.limit, limitMax)
        return (await listArtifacts(readsFor(context, body), body, { sort: body.sort, limit, offset: body.offset })).map(toArtifactResponse)
      },
    ),
    route(
      {
        method: 'POST',
        path: '/artifacts/latest/filter',
        tag,
        summary: 'List the latest artifact of each key',
        scope: read,
        kind: 'query',
        body: LatestArtifactsFilterBody,
        responses: { 200: Type.Array(ArtifactCollection) },
      },
      async ({ body }) => {
        const limit = pageLimit(body.limit, limitMax)
        return (await listCollections(readsFor(context, body), body, { sort: body.sort, limit, offset: body.offset })).map(toCollectionResponse)
      },
    ),
    route(
      {
        method: 'POST',
        path: '/artifacts/count',
        tag,
        summary: 'Count artifacts',
        scope: read,
        kind: 'query',
        body: ArtifactsCountBody,
        responses: { 200: Count },
      },
      ({ body }) => countArtifacts(readsFor(context, body), body),
    ),
    route(
      {
        method: 'POST',
        path: '/artifacts/latest/count',
        tag,
        summary: 'Count artifact keys',
        scope: read,
        kind: 'query',
        body: LatestArtifactsCountBody,
        responses: { 200: Count },
      },
      ({ body }) => countCollections(readsFor(context, body), body),
    ),
  ]
}
