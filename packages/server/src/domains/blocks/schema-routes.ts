import {
  BlockCapabilities,
  BlockSchema,
  BlockSchemaChecksumQuery,
  BlockSchemaCreate,
  BlockSchemasFilterBody,
} from '@millrace/contracts/block-schema.ts'
import { Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { forbidden, notFound } from '../../errors.ts'
import { type Route, RouteResponse, route } from '../../lib/route.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { IdParams, pageLimit } from '../request-params.ts'
import { readsFor } from '../text-searches.ts'
import { createBlockSchema } from './create-schema.ts'
import { detachFromDeployments } from './document-store.ts'
import { toSchemaResponses } from './schema-graph.ts'
import {
  type BlockSchemaRow,
  deleteBlockSchema,
  listBlockSchemas,
  listCapabilities,
  readBlockSchema,
  readBlockSchemaByChecksum,
} from './schema-store.ts'
import { type BlockTypeRow, readBlockType } from './type-store.ts'

const tag = 'Block schemas'

export function blockSchemaRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, config } = context

  const found = async (row: BlockSchemaRow | undefined): Promise<BlockSchema> => {
    if (!row) throw notFound('Block schema')
    return (await toSchemaResponses(reads, [row]))[0] as BlockSchema
  }

  const remove = (id: string) => async (tx: Tx) => {
    const row = await readBlockSchema(tx, id)
    if (!row) throw notFound('Block schema')
    const type = (await readBlockType(tx, row.block_type_id)) as BlockTypeRow
    if (toBoolean(type.is_protected)) throw forbidden('Cannot delete a schema of a protected block type.')
    await detachFromDeployments(tx, 'block_schema_id', id)
    await deleteBlockSchema(tx, id)
  }

  return [
    route(
      {
        method: 'POST',
        path: '/block_schemas/',
        tag,
        summary: 'Create a block schema, or return the one with the same checksum and version',
        description: 'Nested schemas are created with it.',
        scope: 'blocks:write',
        kind: 'change',
        body: BlockSchemaCreate,
        responses: { 201: BlockSchema, 200: BlockSchema },
      },
      async ({ body, actor }) => {
        const { isNew: made, schema } = await writeQueue.as(actor).submit(createBlockSchema(context, body))
        return new RouteResponse(made ? 201 : 200, schema)
      },
    ),
    route(
      {
        method: 'GET',
        path: '/block_schemas/:id',
        tag,
        summary: 'Read a block schema',
        scope: 'blocks:read',
        kind: 'query',
        params: IdParams,
        responses: { 200: BlockSchema },
      },
      async ({ params }) => found(await readBlockSchema(reads, params.id)),
    ),
    route(
      {
        method: 'GET',
        path: '/block_schemas/checksum/:checksum',
        tag,
        summary: 'Read a block schema by checksum and version (default: latest)',
        scope: 'blocks:read',
        kind: 'query',
        params: Type.Object({ checksum: Text }),
        query: BlockSchemaChecksumQuery,
        responses: { 200: BlockSchema },
      },
      async ({ params, query }) => found(await readBlockSchemaByChecksum(reads, params.checksum, query.version)),
    ),
    route(
      {
        method: 'POST',
        path: '/block_schemas/filter',
        tag,
        summary: 'List block schemas, latest first',
        scope: 'blocks:read',
        kind: 'query',
        body: BlockSchemasFilterBody,
        responses: { 200: Type.Array(BlockSchema) },
      },
      async ({ body }) => {
        const limit = pageLimit(body.limit, config.server.api.default_limit)
        return toSchemaResponses(reads, await listBlockSchemas(readsFor(context, body, reads), body, { limit, offset: body.offset }))
      },
    ),
    route(
      {
        method: 'DELETE',
        path: '/block_schemas/:id',
        tag,
        summary: 'Delete a block schema with its documents',
        scope: 'blocks:write',
        kind: 'change',
        params: IdParams,
        responses: { 204: null },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(remove(params.id)),
    ),
    route(
      {
        method: 'GET',
        path: '/block_capabilities/',
        tag: 'Block capabilities',
        summary: 'List the capabilities of all block schemas',
        scope: 'blocks:read',
        kind: 'query',
        responses: { 200: BlockCapabilities },
      },
      () => listCapabilities(reads),
    ),
  ]
}
