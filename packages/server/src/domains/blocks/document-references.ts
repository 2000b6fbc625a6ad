import { badRequest } from '../../errors.ts'
import { parseUuid } from '../../lib/ids.ts'
import { isJsonObject } from '../../lib/json-exact.ts'
import type { JsonObject } from './json-object.ts'

/** A field that references another document. */
export interface DocumentReference {
  readonly name: string
  readonly id: string
}

interface SplitData {
  readonly ownData: JsonObject
  readonly references: readonly DocumentReference[]
}

/** Separates fields of the form `{ "$ref": { "block_document_id": … } }`, which reference documents. Only top-level fields count. */
export function splitReferences(data: JsonObject): SplitData {
  const references: DocumentReference[] = []
  const plain: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(data)) {
    if (isJsonObject(value) && '$ref' in value) references.push({ name, id: referenceId(name, value.$ref) })
    else plain[name] = value
  }
  // The same object, so that its original JSON text can be reused.
  return { ownData: references.length === 0 ? data : plain, references }
}

function referenceId(name: string, reference: unknown): string {
  const id = isJsonObject(reference) && typeof reference.block_document_id === 'string' ? parseUuid(reference.block_document_id) : undefined
  if (!id) throw badRequest(`The reference in "${name}" has no valid block_document_id.`)
  return id
}
