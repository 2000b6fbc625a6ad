import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import type { ServerState } from '../server-state.ts'

/** All documents with a name of their own, and those without that others use. */
export async function exportedDocuments(server: ServerState): Promise<BlockDocument[]> {
  const all = await server.list('block-document')
  if (!all.some(({ is_anonymous }) => is_anonymous)) return all
  const deployments = await server.list('deployment')
  const used = new Set(deployments.flatMap((each) => [each.storage_document_id, each.infrastructure_document_id]))
  for (const { block_document_references } of all) for (const { id } of referencedDocuments(block_document_references)) used.add(id)
  return all.filter(({ id, is_anonymous }) => !is_anonymous || used.has(id))
}

/** The documents that the fields of a document refer to. */
export const referencedDocuments = (references: BlockDocument['block_document_references']): { readonly field: string; readonly id: string }[] =>
  Object.entries(references ?? {}).flatMap(([field, reference]) => {
    const document = reference.block_document as { readonly id?: unknown } | undefined
    return typeof document?.id === 'string' ? [{ field, id: document.id }] : []
  })
