import { statement, type Tx } from '../../storage/database.ts'

type DocumentColumn = 'id' | 'block_type_id' | 'block_schema_id'

const column = (field: 'storage_document_id' | 'infrastructure_document_id', of: DocumentColumn) =>
  statement(`update deployment set ${field} = null where ${field} in (select id from block_document where ${of} = $1)`)

const statements = {
  id: [column('storage_document_id', 'id'), column('infrastructure_document_id', 'id')],
  block_type_id: [column('storage_document_id', 'block_type_id'), column('infrastructure_document_id', 'block_type_id')],
  block_schema_id: [column('storage_document_id', 'block_schema_id'), column('infrastructure_document_id', 'block_schema_id')],
} as const

/** Deployments let go of documents that are about to be deleted; in the reference they are deleted with them. */
export async function detachFromDeployments(tx: Tx, of: DocumentColumn, value: string): Promise<void> {
  for (const statement of statements[of]) await tx.run(statement, [value])
}
