import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import { writeJson } from '../../lib/json.ts'
import type { Db } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toDocumentResponses } from './document-graph.ts'
import { readDocument } from './document-store.ts'
import { keyringOf } from './keyring.ts'

export interface LoadedBlock {
  readonly name: string
  readonly block_type_slug: string
  readonly block_type_name: string
  readonly capabilities: readonly string[]
  /** With its secrets, and with the data of the documents that it refers to in their places. */
  readonly data: Readonly<Record<string, unknown>>
}

/** A block as code uses it, say to send a notification. Never to be shown. */
export async function loadBlockDocument(context: ServerContext, db: Db, id: string): Promise<LoadedBlock | undefined> {
  const row = await readDocument(db, id)
  if (!row) return undefined
  const [document] = await toDocumentResponses(db, [row], { keyring: keyringOf(context), includeSecrets: true })
  if (!document) return undefined
  const { data, block_type, block_schema } = JSON.parse(writeJson(document)) as BlockDocument
  return {
    name: row.name,
    block_type_slug: block_type?.slug ?? '',
    block_type_name: row.block_type_name,
    capabilities: block_schema?.capabilities ?? [],
    data,
  }
}
