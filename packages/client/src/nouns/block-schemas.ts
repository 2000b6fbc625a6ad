import type { BlockCapabilities, BlockSchema, BlockSchemaCreate, BlockSchemasFilterBody } from '@millrace/contracts/block-schema.ts'
import type { CallOptions } from '../http.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/** Versions of the fields of block types. */
export class BlockSchemas extends OperationGroup {
  /** Creates a block schema, or returns the one with the same checksum and version. */
  create(body: BlockSchemaCreate, options?: CallOptions): Promise<BlockSchema> {
    return this.http.call('POST', '/block_schemas/', { body, isIdempotent: true, options })
  }

  /** Reads a block schema by id. */
  read(id: string, options?: CallOptions): Promise<BlockSchema> {
    return this.http.call('GET', '/block_schemas/{id}', { path: { id }, options })
  }

  /** Reads a block schema by checksum, in the latest version by default. */
  readByChecksum(checksum: string, { version }: { version?: string } = {}, options?: CallOptions): Promise<BlockSchema> {
    return this.http.call('GET', '/block_schemas/checksum/{checksum}', { path: { checksum }, query: { version }, options })
  }

  /** Lists block schemas, latest first. */
  list(body: BlockSchemasFilterBody = {}, options?: CallOptions): Promise<BlockSchema[]> {
    return this.http.call('POST', '/block_schemas/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(body: Omit<BlockSchemasFilterBody, 'offset' | 'limit'> = {}, options?: PageOptions): AsyncGenerator<BlockSchema, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }

  /** Deletes a block schema with its documents. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/block_schemas/{id}', { path: { id }, options })
  }

  /** Lists the capabilities of all block schemas, such as `read-path`. */
  listCapabilities(options?: CallOptions): Promise<BlockCapabilities> {
    return this.http.call('GET', '/block_capabilities/', { options })
  }
}
