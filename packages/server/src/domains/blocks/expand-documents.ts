import type { BlockType } from '@millrace/contracts/block-type.ts'
import { toBoolean } from '../../storage/tables.ts'
import type { BlockDocumentReferenceRow, BlockDocumentRow } from './document-store.ts'
import type { JsonObject } from './json-object.ts'

/** What the documents of a response refer to, at any depth. */
export interface ReferencedDocuments {
  readonly documents: ReadonlyMap<string, BlockDocumentRow>
  readonly references: ReadonlyMap<string, readonly BlockDocumentReferenceRow[]>
  /** The data of each document; secrets are masked unless requested. */
  readonly data: ReadonlyMap<string, JsonObject>
  /** The length of the data as stored. */
  readonly lengths: ReadonlyMap<string, number>
  readonly typeOf: (row: BlockDocumentRow) => BlockType
}

/** A document with the data of the documents that it refers to. */
export interface ExpandedDocument {
  readonly data: JsonObject
  readonly references: Readonly<Record<string, unknown>>
  /** Documents that were inserted, each as often as it was, and the characters that they take as JSON. */
  readonly inserted: number
  readonly characters: number
  /** Levels below the document. */
  readonly depth: number
}

/** Keys and punctuation around an inserted document. */
const frameCharacters = 200

/**
 * Expands each document once, whatever number of others refer to it: with four references on each of eight levels there are nine documents, and 65,536
 * ways to the last one. The expanded objects share their parts, so that only writing them as JSON takes the expanded size.
 */
export class DocumentExpander {
  readonly #found: ReferencedDocuments
  readonly #expanded = new Map<string, ExpandedDocument>()
  readonly #typeLengths = new Map<string, number>()

  constructor(found: ReferencedDocuments) {
    this.#found = found
  }

  /** Without recursion, because a chain of documents can be longer than the stack. Leaves out references that lead back to a document above. */
  expand(root: string): ExpandedDocument {
    const open = new Set<string>()
    const stack = [root]
    for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
      if (this.#expanded.has(id) || open.has(id)) {
        stack.pop()
        if (!this.#expanded.has(id)) this.#expanded.set(id, this.#insertReferences(id))
        continue
      }
      open.add(id)
      for (const { reference_block_document_id: below } of this.#referencesOf(id)) {
        if (!open.has(below) && !this.#expanded.has(below)) stack.push(below)
      }
    }
    return this.#expanded.get(root) as ExpandedDocument
  }

  #referencesOf(id: string): readonly BlockDocumentReferenceRow[] {
    return (this.#found.references.get(id) ?? []).filter((reference) => this.#found.documents.has(reference.reference_block_document_id))
  }

  #insertReferences(parent: string): ExpandedDocument {
    const own = this.#found.data.get(parent) as JsonObject
    const data: Record<string, unknown> = {}
    const references: Record<string, unknown> = {}
    const total = { inserted: 0, characters: 0, depth: 0 }
    for (const { reference_block_document_id: id, name } of this.#referencesOf(parent)) {
      const below = this.#expanded.get(id)
      if (!below) continue
      const row = this.#found.documents.get(id) as BlockDocumentRow
      const type = this.#found.typeOf(row)
      data[name] = below.data
      references[name] = {
        block_document: {
          id,
          name: row.name,
          block_type: type,
          is_anonymous: toBoolean(row.is_anonymous),
          block_document_references: below.references,
        },
      }
      total.inserted += 1 + below.inserted
      total.characters +=
        below.characters + (this.#found.lengths.get(id) as number) + 2 * name.length + row.name.length + this.#lengthOf(type) + frameCharacters
      total.depth = Math.max(total.depth, 1 + below.depth)
    }
    return { data: total.inserted === 0 ? own : { ...own, ...data }, references, ...total }
  }

  #lengthOf(type: BlockType): number {
    const length = this.#typeLengths.get(type.id) ?? JSON.stringify(type).length
    this.#typeLengths.set(type.id, length)
    return length
  }
}
