import type { BlockDocument, BlockDocumentCreate, BlockDocumentsCountBody, BlockDocumentsFilterBody } from '@millrace/contracts/block-document.ts'
import type { BlockSchema, BlockSchemasFilterBody } from '@millrace/contracts/block-schema.ts'
import type { BlockType, BlockTypesFilterBody } from '@millrace/contracts/block-type.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { withPlainTexts } from './block-type-texts.ts'
import { call } from './client.ts'
import type { Sent } from './sent.ts'

const noun = 'blocks'

/** Kinds of blocks change when an integration is registered, which is seldom. */
const kindSeconds = 300

export const blocksQuery = (body: Sent<typeof BlockDocumentsFilterBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => call<BlockDocument[]>('POST', '/block_documents/filter', { body: { ...body, include_secrets: false }, signal }),
    placeholderData: keepPreviousData,
  })

export const blockCountQuery = (body: Sent<typeof BlockDocumentsCountBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'count', body],
    queryFn: ({ signal }) => call<number>('POST', '/block_documents/count', { body, signal }),
    placeholderData: keepPreviousData,
  })

/** With its secrets masked: the pages never ask for them. */
export const blockQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: ({ signal }) => call<BlockDocument>('GET', `/block_documents/${id}`, { signal }) })

const allWithPlainTexts = (types: readonly BlockType[]) => types.map(withPlainTexts)

export const blockTypesQuery = (body: Sent<typeof BlockTypesFilterBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'types', body],
    queryFn: ({ signal }) => call<BlockType[]>('POST', '/block_types/filter', { body, signal }),
    select: allWithPlainTexts,
    staleTime: kindSeconds * 1000,
    placeholderData: keepPreviousData,
  })

export const blockTypeQuery = (slug: string) =>
  queryOptions({
    queryKey: [noun, 'type', slug],
    queryFn: ({ signal }) => call<BlockType>('GET', `/block_types/slug/${encodeURIComponent(slug)}`, { signal }),
    select: withPlainTexts,
    staleTime: kindSeconds * 1000,
  })

/** The newest first. */
export const blockSchemasQuery = (filter: NonNullable<Sent<typeof BlockSchemasFilterBody>['block_schemas']>) =>
  queryOptions({
    queryKey: [noun, 'schemas', filter],
    queryFn: ({ signal }) => call<BlockSchema[]>('POST', '/block_schemas/filter', { body: { block_schemas: filter }, signal }),
    staleTime: kindSeconds * 1000,
  })

export const blockCapabilitiesQuery = () =>
  queryOptions({
    queryKey: [noun, 'capabilities'],
    queryFn: ({ signal }) => call<string[]>('GET', '/block_capabilities/', { signal }),
    staleTime: kindSeconds * 1000,
  })

export const createBlock = (body: BlockDocumentCreate) => call<BlockDocument>('POST', '/block_documents/', { body })

/** All of its data; masks that are sent back stand for the secrets that they hide. */
export const updateBlock = (id: string, data: Readonly<Record<string, unknown>>) =>
  call<null>('PATCH', `/block_documents/${id}`, { body: { data, merge_existing_data: false } })

export const deleteBlock = (id: string) => call<null>('DELETE', `/block_documents/${id}`)
