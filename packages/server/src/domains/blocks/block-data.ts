import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import { notFound } from '../../errors.ts'
import { parseUuid } from '../../lib/ids.ts'
import { writeJson } from '../../lib/json.ts'
import type { Db } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toDocumentResponses } from './document-graph.ts'
import { readDocument } from './document-store.ts'
import { keyringOf } from './keyring.ts'

/** The data of blocks as JSON text by id, with the data of nested blocks and with masked secrets. Throws 404 for a block that does not exist. */
export async function readBlockData(context: ServerContext, db: Db, ids: readonly string[]): Promise<Record<string, string>> {
  const data: Record<string, string> = {}
  for (const given of ids) {
    const id = parseUuid(given)
    const row = id === undefined ? undefined : await readDocument(db, id)
    if (!row) throw notFound(`The block "${given}", which is the default of a job variable,`)
    const [document] = await toDocumentResponses(db, [row], { keyring: keyringOf(context), includeSecrets: false })
    data[given] = writeJson((document as BlockDocument).data)
  }
  return data
}
