import type { BlockTypeCreate, BlockTypeUpdate } from '@millrace/contracts/block-type.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { alreadyExists, forbidden, notFound } from '../../errors.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { detachFromDeployments } from './detach-documents.ts'
import { escapeMarkup, unescapeMarkup } from './escaped-markup.ts'
import { blockTypeEvent } from './type-events.ts'
import { type BlockTypeRow, deleteBlockType, insertBlockTypes, lockBlockType, readBlockTypeBySlug, updateBlockType } from './type-store.ts'

/** Names that existing clients take for the system's own. */
const isReservedTypeName = (name: string): boolean => name.toLowerCase().startsWith('prefect')

export function createBlockType({ clock, newId }: ServerContext, body: Received<typeof BlockTypeCreate>) {
  if (isReservedTypeName(body.name)) throw forbidden('Names of block types that begin with "Prefect" are reserved')
  return async (tx: Tx): Promise<BlockTypeRow> => {
    const now = clock.now()
    const row = { id: newId(), created: now, updated: now, ...body, ...escapeFields(body), is_protected: false }
    // Looked up first, because on PostgreSQL a refusal after a write costs the whole batch another try.
    if ((await readBlockTypeBySlug(tx, body.slug)) || (await insertBlockTypes(tx, [row])) === 0)
      throw alreadyExists(`A block type with the slug ${body.slug}`)
    tx.emit(blockTypeEvent('created', row, newId(), now))
    return row
  }
}

/** Existing pages expect it so of a type that was made, not of one that was changed; clients compare without regard to it. */
const escapeFields = ({ description, code_example }: Pick<BlockTypeRow, 'description' | 'code_example'>) => ({
  description: description && escapeMarkup(description),
  code_example: code_example && escapeMarkup(code_example),
})

const changeable = ['logo_url', 'documentation_url', 'description', 'code_example'] as const

/** Also of protected types: clients bring along their own descriptions. One that says it all over again changes nothing. */
export const changeBlockType =
  ({ clock, newId }: ServerContext, id: string, body: BlockTypeUpdate) =>
  async (tx: Tx): Promise<void> => {
    const row = await lockBlockType(tx, id)
    if (!row) throw notFound('Block type')
    if (changeable.every((field) => isUnchanged(field, body[field], row[field]))) return
    const now = clock.now()
    const given = Object.fromEntries(changeable.flatMap((field) => (body[field] === undefined ? [] : [[field, body[field]]])))
    const next: BlockTypeRow = { ...row, ...given, updated: now }
    await updateBlockType(tx, next)
    tx.emit(blockTypeEvent('updated', next, newId(), now))
  }

function isUnchanged(field: (typeof changeable)[number], given: string | null | undefined, kept: string | null): boolean {
  if (given === kept) return true
  return (field === 'description' || field === 'code_example') && !!given && !!kept && unescapeMarkup(given) === unescapeMarkup(kept)
}

/** Takes its schemas and documents along. */
export const removeBlockType =
  ({ clock, newId }: ServerContext, id: string) =>
  async (tx: Tx): Promise<void> => {
    const row = await lockBlockType(tx, id)
    if (!row) throw notFound('Block type')
    if (toBoolean(row.is_protected)) throw forbidden('A protected block type cannot be deleted')
    await detachFromDeployments(tx, 'block_type_id', id)
    await deleteBlockType(tx, id)
    tx.emit(blockTypeEvent('deleted', row, newId(), clock.now()))
  }
