import type { BlockDocumentCreate, BlockDocumentsCountBody, BlockDocumentsFilterBody } from '@millrace/contracts/block-document.ts'
import type { BlockSchemasFilterBody } from '@millrace/contracts/block-schema.ts'
import type { BlockType, BlockTypesFilterBody } from '@millrace/contracts/block-type.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { unescapeBlockType } from './unescape-block-type.ts'

const noun = 'blocks'

/** Block types change only when an integration is registered. */
const typeStaleSeconds = 300

export const blocksQuery = (body: BlockDocumentsFilterBody = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => client.blockDocuments.list({ ...body, include_secrets: false }, { signal }),
    placeholderData: keepPreviousData,
  })

export const blockCountQuery = (body: BlockDocumentsCountBody = {}) =>
  queryOptions({
    queryKey: [noun, 'count', body],
    queryFn: ({ signal }) => client.blockDocuments.count(body, { signal }),
    placeholderData: keepPreviousData,
  })

/** Secrets are masked. The dashboard never requests them in plain text. */
export const blockQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: ({ signal }) => client.blockDocuments.read(id, {}, { signal }) })

const unescapeBlockTypes = (types: readonly BlockType[]) => types.map(unescapeBlockType)

export const blockTypesQuery = (body: BlockTypesFilterBody = {}) =>
  queryOptions({
    queryKey: [noun, 'types', body],
    queryFn: ({ signal }) => client.blockTypes.list(body, { signal }),
    select: unescapeBlockTypes,
    staleTime: typeStaleSeconds * 1000,
    placeholderData: keepPreviousData,
  })

export const blockTypeQuery = (slug: string) =>
  queryOptions({
    queryKey: [noun, 'type', slug],
    queryFn: ({ signal }) => client.blockTypes.readBySlug(slug, { signal }),
    select: unescapeBlockType,
    staleTime: typeStaleSeconds * 1000,
  })

/** Newest first. */
export const blockSchemasQuery = (filter: NonNullable<BlockSchemasFilterBody['block_schemas']>) =>
  queryOptions({
    queryKey: [noun, 'schemas', filter],
    queryFn: ({ signal }) => client.blockSchemas.list({ block_schemas: filter }, { signal }),
    staleTime: typeStaleSeconds * 1000,
  })

export const blockCapabilitiesQuery = () =>
  queryOptions({
    queryKey: [noun, 'capabilities'],
    queryFn: ({ signal }) => client.blockSchemas.listCapabilities({ signal }),
    staleTime: typeStaleSeconds * 1000,
  })

export const createBlock = (body: BlockDocumentCreate) => client.blockDocuments.create(body)

/** Replaces all data. The server keeps the stored secret where the mask is sent back. */
export const updateBlock = (id: string, data: Readonly<Record<string, unknown>>) =>
  client.blockDocuments.update(id, { data: { ...data }, merge_existing_data: false })

export const deleteBlock = (id: string) => client.blockDocuments.delete(id)
