import type { BlockType, BlockTypeCreate, BlockTypesFilterBody, BlockTypeUpdate } from '@millrace/contracts/block-type.ts'
import type { CallOptions } from '../http.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/** Kinds of block documents. */
export class BlockTypes extends OperationGroup {
  /** Creates a block type. Throws a `ConflictError` if one has this slug. */
  create(body: BlockTypeCreate, options?: CallOptions): Promise<BlockType> {
    return this.http.call('POST', '/block_types/', { body, options })
  }

  /** Reads a block type by id. */
  read(id: string, options?: CallOptions): Promise<BlockType> {
    return this.http.call('GET', '/block_types/{id}', { path: { id }, options })
  }

  /** Reads a block type by slug. */
  readBySlug(slug: string, options?: CallOptions): Promise<BlockType> {
    return this.http.call('GET', '/block_types/slug/{slug}', { path: { slug }, options })
  }

  /** Lists block types, by name. */
  list(body: BlockTypesFilterBody = {}, options?: CallOptions): Promise<BlockType[]> {
    return this.http.call('POST', '/block_types/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(body: Omit<BlockTypesFilterBody, 'offset' | 'limit'> = {}, options?: PageOptions): AsyncGenerator<BlockType, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }

  /** Updates the given fields of a block type. */
  update(id: string, body: BlockTypeUpdate, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/block_types/{id}', { path: { id }, body, options })
  }

  /** Deletes a block type with its schemas and documents. Throws a `ForbiddenError` for a protected type of the server. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/block_types/{id}', { path: { id }, options })
  }

  /** Restores the built-in block types. */
  installSystemTypes(options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/block_types/install_system_block_types', { isIdempotent: true, options })
  }
}
