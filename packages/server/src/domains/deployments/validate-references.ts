import { notFound, unknownReference } from '../../errors.ts'
import { type Db, statement } from '../../storage/database.ts'

interface Limits {
  readonly concurrency_limit?: number | null
  readonly global_concurrency_limit_id?: string | null
}

export function findLimitConflict(sent: Readonly<Record<string, unknown>>): string | undefined {
  if (!sent.concurrency_limit || !sent.global_concurrency_limit_id) return undefined
  return 'A deployment has a concurrency limit of its own or shares a global one, not both'
}

const limitById = statement('select id from concurrency_limit where id = $1')

export async function assertLimitExists(db: Db, { global_concurrency_limit_id: id }: Limits): Promise<void> {
  if (id && !(await db.first(limitById, [id]))) throw notFound('Concurrency limit')
}

interface Documents {
  readonly storage_document_id?: string | null
  readonly infrastructure_document_id?: string | null
}

const documentById = statement('select id from block_document where id = $1')

export async function assertDocumentsExist(db: Db, body: Documents): Promise<void> {
  for (const kind of ['infrastructure', 'storage'] as const) {
    const id = body[`${kind}_document_id`]
    if (id && !(await db.first(documentById, [id]))) throw unknownReference(`The ${kind} block ${id}`)
  }
}
