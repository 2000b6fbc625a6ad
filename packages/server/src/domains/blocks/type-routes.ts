import { BlockType, BlockTypeCreate, BlockTypesFilterBody, BlockTypeUpdate } from '@millrace/contracts/block-type.ts'
import { Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import { actAs, type ServerContext } from '../../storage/server-context.ts'
import { IdParams, pageLimit } from '../request-params.ts'
import { readsFor } from '../text-searches.ts'
import { changeBlockType, createBlockType, removeBlockType } from './change-type.ts'
import { installSystemBlocks } from './install-system-blocks.ts'
import { type BlockTypeRow, listBlockTypes, readBlockType, readBlockTypeBySlug, toBlockTypeResponse } from './type-store.ts'

const tag = 'Block types'
const BySlug = Type.Object({ slug: Text })

export function blockTypeRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, config } = context

  const found = (row: BlockTypeRow | undefined): BlockType => {
    if (!row) throw notFound('Block type')
    return toBlockTypeResponse(row)
  }

  return [
    route(
      {
        method: 'POST',
        path: '/block_types/',
        tag,
        summary: 'Create a block type',
        scope: 'blocks:write',
        kind: 'change',
        body: BlockTypeCreate,
        responses: { 201: BlockType },
      },
      async ({ body, actor }) => toBlockTypeResponse(await writeQueue.as(actor).submit(createBlockType(context, body))),
    ),
    route(
      {
        method: 'GET',
        path: '/block_types/:id',
        tag,
        summary: 'Read a block type',
        scope: 'blocks:read',
        kind: 'query',
        params: IdParams,
        responses: { 200: BlockType },
      },
      async ({ params }) => found(await readBlockType(reads, params.id)),
    ),
    route(
      {
        method: 'GET',
        path: '/block_types/slug/:slug',
        tag,
        summary: 'Read a block type by slug',
        scope: 'blocks:read',
        kind: 'query',
        params: BySlug,
        responses: { 200: BlockType },
      },
      async ({ params }) => found(await readBlockTypeBySlug(reads, params.slug)),
    ),
    route(
      {
        method: 'POST',
        path: '/block_types/filter',
        tag,
        summary: 'List block types',
        scope: 'blocks:read',
        kind: 'query',
        body: BlockTypesFilterBody,
        responses: { 200: Type.Array(BlockType) },
      },
      async ({ body }) => {
        const limit = pageLimit(body.limit, config.server.api.default_limit)
        return (await listBlockTypes(readsFor(context, body, reads), body, { limit, offset: body.offset })).map(toBlockTypeResponse)
      },
    ),
    route(
      {
        method: 'PATCH',
        path: '/block_types/:id',
        tag,
        summary: 'Update a block type',
        description: 'Works for protected types too, because clients register their own descriptions.',
        scope: 'blocks:write',
        kind: 'change',
        params: IdParams,
        body: BlockTypeUpdate,
        responses: { 204: null },
      },
      ({ params, body, actor }) => writeQueue.as(actor).submit(changeBlockType(context, params.id, body)),
    ),
    route(
      {
        method: 'DELETE',
        path: '/block_types/:id',
        tag,
        summary: 'Delete a block type with its schemas and documents',
        scope: 'blocks:write',
        kind: 'change',
        params: IdParams,
        responses: { 204: null },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(removeBlockType(context, params.id)),
    ),
    route(
      {
        method: 'POST',
        path: '/block_types/install_system_block_types',
        tag,
        summary: 'Restore the built-in block types',
        scope: 'blocks:write',
        kind: 'change',
        responses: { 200: Type.Null() },
      },
      async ({ actor }) => {
        await installSystemBlocks(actAs(context, actor))
      },
    ),
  ]
}
