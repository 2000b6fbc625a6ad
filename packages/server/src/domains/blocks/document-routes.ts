import {
  BlockDocument,
  BlockDocumentCreate,
  BlockDocumentsCountBody,
  BlockDocumentsFilterBody,
  BlockDocumentUpdate,
  IncludeSecretsQuery,
} from '@millrace/contracts/block-document.ts'
import { Count } from '@millrace/contracts/paging.ts'
import { Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { IdParams, pageLimit } from '../request-params.ts'
import { readsFor } from '../text-searches.ts'
import { createDocument, findMissingName } from './create-document.ts'
import { toDocumentResponse, toDocumentResponses } from './document-graph.ts'
import { type BlockDocumentRow, countDocuments, listDocuments, readDocument, readDocumentByName } from './document-store.ts'
import { keyringOf } from './keyring.ts'
import { readBlockTypeBySlug } from './type-store.ts'
import { removeDocument, updateDocument } from './update-document.ts'

const tag = 'Block documents'
const Documents = Type.Array(BlockDocument)

export function blockDocumentRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, config } = context
  const keyring = keyringOf(context)

  const answers = (rows: readonly BlockDocumentRow[], includeSecrets: boolean) => toDocumentResponses(reads, rows, { keyring, includeSecrets })
  const found = async (row: BlockDocumentRow | undefined, includeSecrets: boolean): Promise<BlockDocument> => {
    if (!row) throw notFound('Block document')
    return toDocumentResponse(reads, row, { keyring, includeSecrets })
  }

  return [
    route(
      {
        method: 'POST',
        path: '/block_documents/',
        tag,
        summary: 'Create a block document',
        scope: 'blocks:write',
        kind: 'change',
        body: BlockDocumentCreate,
        checkRawBody: findMissingName,
        responses: { 201: BlockDocument },
      },
      async ({ body, actor }) => {
        await keyring.open()
        return writeQueue.as(actor).submit(createDocument(context, body))
      },
    ),
    route(
      {
        method: 'GET',
        path: '/block_documents/:id',
        tag,
        summary: 'Read a block document',
        scope: 'blocks:read',
        kind: 'query',
        params: IdParams,
        query: IncludeSecretsQuery,
        responses: { 200: BlockDocument },
      },
      async ({ params, query }) => found(await readDocument(reads, params.id), query.include_secrets),
    ),
    route(
      {
        method: 'GET',
        path: '/block_types/slug/:slug/block_documents/name/:block_document_name',
        tag,
        summary: 'Read a block document by type and name',
        scope: 'blocks:read',
        kind: 'query',
        params: Type.Object({ slug: Text, block_document_name: Text }),
        query: IncludeSecretsQuery,
        responses: { 200: BlockDocument },
      },
      async ({ params, query }) => found(await readDocumentByName(reads, params.slug, params.block_document_name), query.include_secrets),
    ),
    route(
      {
        method: 'GET',
        path: '/block_types/slug/:slug/block_documents',
        tag,
        summary: 'List the block documents of a type',
        scope: 'blocks:read',
        kind: 'query',
        params: Type.Object({ slug: Text }),
        query: IncludeSecretsQuery,
        responses: { 200: Documents },
      },
      async ({ params, query }) => {
        const type = await readBlockTypeBySlug(reads, params.slug)
        if (!type) throw notFound('Block type')
        const block_documents = { block_type_id: { any_: [type.id] }, is_anonymous: { eq_: false } }
        return answers(await listDocuments(reads, { block_documents }, { sort: 'NAME_ASC' }), query.include_secrets)
      },
    ),
    route(
      {
        method: 'POST',
        path: '/block_documents/filter',
        tag,
        summary: 'List block documents',
        scope: 'blocks:read',
        kind: 'query',
        body: BlockDocumentsFilterBody,
        responses: { 200: Documents },
      },
      async ({ body }) => {
        const limit = pageLimit(body.limit, config.server.api.default_limit)
        const rows = await listDocuments(readsFor(context, body, reads), body, { sort: body.sort ?? 'NAME_ASC', limit, offset: body.offset })
        return answers(rows, body.include_secrets)
      },
    ),
    route(
      {
        method: 'POST',
        path: '/block_documents/count',
        tag,
        summary: 'Count block documents',
        scope: 'blocks:read',
        kind: 'query',
        body: BlockDocumentsCountBody,
        responses: { 200: Count },
      },
      ({ body }) => countDocuments(readsFor(context, body, reads), body),
    ),
    route(
      {
        method: 'PATCH',
        path: '/block_documents/:id',
        tag,
        summary: 'Update a block document',
        description:
          'Merges the given fields into the data. With `merge_existing_data` false they replace it. Masked secrets that are sent back keep their stored values.',
        scope: 'blocks:write',
        kind: 'change',
        params: IdParams,
        body: BlockDocumentUpdate,
        responses: { 204: null },
      },
      async ({ params, body, actor }) => {
        await keyring.open()
        return writeQueue.as(actor).submit(updateDocument(context, params.id, body))
      },
    ),
    route(
      {
        method: 'DELETE',
        path: '/block_documents/:id',
        tag,
        summary: 'Delete a block document',
        description: 'Documents that refer to it lose the field.',
        scope: 'blocks:write',
        kind: 'change',
        params: IdParams,
        responses: { 204: null },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(removeDocument(context, params.id)),
    ),
  ]
}
