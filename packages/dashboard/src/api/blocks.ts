import type { BlockDocument, BlockDocumentCreate, BlockDocumentsCountBody, BlockDocumentsFilterBody } from '@millrace/contracts/block-document.ts'
import type { BlockSchema, BlockSchemasFilterBody } from '@millrace/contracts/block-schema.ts'
import type { BlockType, BlockTypesFilterBody } from '@millrace/contracts/block-type.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type RequestBody } from './client.ts'
import { unescapeBlockType } from './unescape-block-type.ts'

const noun = 'blocks'

/** Block types change only when an integration is registered. */
const typeStaleSeconds = 300

export const blocksQuery = (body: RequestBody<typeof BlockDocumentsFilterBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => call<BlockDocument[]>('POST', '/block_documents/filter', { body: { ...body, include_secrets: false }, signal }),
    placeholderData: keepPreviousData,
  })

export const blockCountQuery = (body: RequestBody<typeof BlockDocumentsCountBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'count', body],
    queryFn: ({ signal }) => call<number>('POST', '/block_documents/count', { body, signal }),
    placeholderData: keepPreviousData,
  })

/** Secrets are masked. The dashboard never requests them in plain text. */
export const blockQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: ({ signal }) => call<BlockDocument>('GET', `/block_documents/${id}`, { signal }) })

const unescapeBlockTypes = (types: readonly BlockType[]) => types.map(unescapeBlockType)

export const blockTypesQuery = (body: RequestBody<typeof BlockTypesFilterBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'types', body],
    queryFn: ({ signal }) => call<BlockType[]>('POST', '/block_types/filter', { body, signal }),
    select: unescapeBlockTypes,
    staleTime: typeStaleSeconds * 1000,
    placeholderData: keepPreviousData,
  })

export const blockTypeQuery = (slug: string) =>
  queryOptions({
    queryKey: [noun, 'type', slug],
    queryFn: ({ signal }) => call<BlockType>('GET', `/block_types/slug/${encodeURIComponent(slug)}`, { signal }),
    select: unescapeBlockType,
    staleTime: typeStaleSeconds * 1000,
  })

/** Newest first. */
export const blockSchemasQuery = (filter: NonNullable<RequestBody<typeof BlockSchemasFilterBody>['block_schemas']>) =>
  queryOptions({
    queryKey: [noun, 'schemas', filter],
    queryFn: ({ signal }) => call<BlockSchema[]>('POST', '/block_schemas/filter', { body: { block_schemas: filter }, signal }),
    staleTime: typeStaleSeconds * 1000,
  })

export const blockCapabilitiesQuery = () =>
  queryOptions({
    queryKey: [noun, 'capabilities'],
    queryFn: ({ signal }) => call<string[]>('GET', '/block_capabilities/', { signal }),
    staleTime: typeStaleSeconds * 1000,
  })

export const createBlock = (body: BlockDocumentCreate) => call<BlockDocument>('POST', '/block_documents/', { body })

/** Replaces all data. The server keeps the stored secret where the mask is sent back. */
export const updateBlock = (id: string, data: Readonly<Record<string, unknown>>) =>
  call<null>('PATCH', `/block_documents/${id}`, { body: { data, merge_existing_data: false } })

export const deleteBlock = (id: string) => call<null>('DELETE', `/block_documents/${id}`)
