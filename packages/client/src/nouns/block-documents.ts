import type {
  BlockDocument,
  BlockDocumentCreate,
  BlockDocumentsCountBody,
  BlockDocumentsFilterBody,
  BlockDocumentUpdate,
} from '@millrace/contracts/block-document.ts'
import type { CallOptions } from '../http.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/** Stored configuration and credentials, each an instance of a block type. */
export class BlockDocuments extends OperationGroup {
  /** Creates a block document. Throws a `ConflictError` if its type has one with this name. */
  create(body: BlockDocumentCreate, options?: CallOptions): Promise<BlockDocument> {
    return this.http.call('POST', '/block_documents/', { body, options })
  }

  /** Reads a block document by id. Secrets are masked unless `includeSecrets` is set. */
  read(id: string, { includeSecrets }: { includeSecrets?: boolean } = {}, options?: CallOptions): Promise<BlockDocument> {
    return this.http.call('GET', '/block_documents/{id}', { path: { id }, query: { include_secrets: includeSecrets }, options })
  }

  /** Reads a block document by the slug of its type and its name. Secrets are masked unless `includeSecrets` is set. */
  readByName(slug: string, name: string, { includeSecrets }: { includeSecrets?: boolean } = {}, options?: CallOptions): Promise<BlockDocument> {
    return this.http.call('GET', '/block_types/slug/{slug}/block_documents/name/{block_document_name}', {
      path: { slug, block_document_name: name },
      query: { include_secrets: includeSecrets },
      options,
    })
  }

  /** Lists the block documents of a type. Secrets are masked unless `includeSecrets` is set. */
  listOfType(slug: string, { includeSecrets }: { includeSecrets?: boolean } = {}, options?: CallOptions): Promise<BlockDocument[]> {
    return this.http.call('GET', '/block_types/slug/{slug}/block_documents', { path: { slug }, query: { include_secrets: includeSecrets }, options })
  }

  /** Lists block documents. Secrets are masked unless `include_secrets` is set. */
  list(body: BlockDocumentsFilterBody = {}, options?: CallOptions): Promise<BlockDocument[]> {
    return this.http.call('POST', '/block_documents/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(body: Omit<BlockDocumentsFilterBody, 'offset' | 'limit'> = {}, options?: PageOptions): AsyncGenerator<BlockDocument, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }

  /** Counts block documents. */
  count(body: BlockDocumentsCountBody = {}, options?: CallOptions): Promise<number> {
    return this.http.call('POST', '/block_documents/count', { body, isIdempotent: true, options })
  }

  /** Updates a block document. Merges `data` into the stored data unless `merge_existing_data` is false. */
  update(id: string, body: BlockDocumentUpdate, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/block_documents/{id}', { path: { id }, body, options })
  }

  /** Deletes a block document. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/block_documents/{id}', { path: { id }, options })
  }
}
