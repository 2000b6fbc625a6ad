import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import { notFound } from '../../errors.ts'
import { parseUuid } from '../../lib/ids.ts'
import { writeJson } from '../../lib/json.ts'
import type { Db } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toDocumentResponse } from './document-graph.ts'
import { readDocument } from './document-store.ts'
import { keyringOf } from './keyring.ts'

export interface LoadedBlock {
  readonly name: string
  readonly block_type_slug: string
  readonly block_type_name: string
  readonly capabilities: readonly string[]
  /** Includes secrets and the data of referenced documents. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Loads a block with its secrets for server code, such as notifications. Must not be returned to clients. */
export async function loadBlockDocument(context: ServerContext, db: Db, id: string): Promise<LoadedBlock | undefined> {
  const row = await readDocument(db, id)
  if (!row) return undefined
  const document = await toDocumentResponse(db, row, { keyring: keyringOf(context), includeSecrets: true })
  const { data, block_type, block_schema } = JSON.parse(writeJson(document)) as BlockDocument
  return {
    name: row.name,
    block_type_slug: block_type?.slug ?? '',
    block_type_name: row.block_type_name,
    capabilities: block_schema?.capabilities ?? [],
    data,
  }
}

/** The data of blocks as JSON text by id, with the data of nested blocks and with masked secrets. Throws 404 for a block that does not exist. */
export async function readBlockData(context: ServerContext, db: Db, ids: readonly string[]): Promise<Record<string, string>> {
  const data: Record<string, string> = {}
  for (const text of ids) {
    const id = parseUuid(text)
    const row = id === undefined ? undefined : await readDocument(db, id)
    if (!row) throw notFound(`Block "${text}" (default of a job variable)`)
    data[text] = writeJson((await toDocumentResponse(db, row, { keyring: keyringOf(context), includeSecrets: false })).data)
  }
  return data
}
