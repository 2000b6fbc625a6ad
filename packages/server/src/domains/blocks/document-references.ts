import { badRequest } from '../../errors.ts'
import { parseUuid } from '../../lib/ids.ts'
import { isJsonObject } from '../../lib/json-exact.ts'
import type { JsonObject } from './json-object.ts'

/** A field of a document that is another document. */
export interface DocumentReference {
  readonly name: string
  readonly id: string
}

interface SplitData {
  readonly ownData: JsonObject
  readonly references: readonly DocumentReference[]
}

/** Fields that hold `{ "$ref": { "block_document_id": … } }` stand for other documents; they lie on the first level only. */
export function splitReferences(data: JsonObject): SplitData {
  const references: DocumentReference[] = []
  const plain: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(data)) {
    if (isJsonObject(value) && '$ref' in value) references.push({ name, id: referenceId(name, value.$ref) })
    else plain[name] = value
  }
  // Untouched, so that its text is still known.
  return { ownData: references.length === 0 ? data : plain, references }
}

function referenceId(name: string, reference: unknown): string {
  const id = isJsonObject(reference) && typeof reference.block_document_id === 'string' ? parseUuid(reference.block_document_id) : undefined
  if (!id) throw badRequest(`The reference in "${name}" names no block_document_id`)
  return id
}
