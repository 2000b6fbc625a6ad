import { isObject, mapLeaves } from './json-value.ts'
import { Hidden, Reference } from './placeholders.ts'
import type { ServerState } from './server-state.ts'

/** User data refers to a block document by its id, as `{ "$ref": { "block_document_id": ID } }`. Files name the document. */

function blockIdOf(value: Record<string, unknown>): string | undefined {
  const reference = value.$ref
  if (!isObject(reference) || Object.keys(value).length !== 1 || Object.keys(reference).length !== 1) return undefined
  return typeof reference.block_document_id === 'string' ? reference.block_document_id : undefined
}

const containsBlockId = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(containsBlockId)
    : isObject(value) && (blockIdOf(value) !== undefined || Object.values(value).some(containsBlockId))

/** Loads the names of block documents if a value refers to one. */
export async function loadBlockNames(server: ServerState, values: Iterable<unknown>): Promise<void> {
  for (const value of values) if (containsBlockId(value)) return server.loadNames(['block-document'])
}

/** Replaces ids of existing block documents by their names. Needs the names if there are such ids. */
export function withBlockNames<T>(server: ServerState, value: T): T {
  if (Array.isArray(value)) return value.map((item) => withBlockNames(server, item)) as T
  if (!isObject(value)) return value
  const id = blockIdOf(value)
  const name = id === undefined ? undefined : server.nameOf('block-document', id)
  if (name !== undefined) return new Reference('block-document', name) as T
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withBlockNames(server, inner)])) as T
}

/** The value as the server takes it: names of block documents are replaced by ids, and secrets are uncovered. */
export const toRequest = <T>(server: ServerState, value: T): T =>
  mapLeaves(value, (leaf) => {
    if (leaf instanceof Hidden) return leaf.value
    return leaf instanceof Reference ? { $ref: { block_document_id: server.idOf(leaf.kind, leaf.name) } } : leaf
  }) as T
