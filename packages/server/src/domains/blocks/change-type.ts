import type { BlockTypeCreate, BlockTypeUpdate } from '@millrace/contracts/block-type.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { alreadyExists, forbidden, notFound } from '../../errors.ts'
import type { Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { detachFromDeployments } from './document-store.ts'
import { blockTypeEvent } from './events.ts'
import { type BlockTypeRow, deleteBlockType, insertBlockTypes, lockBlockType, readBlockTypeBySlug, updateBlockType } from './type-store.ts'

/** Existing clients treat these names as built-in. */
const isReservedTypeName = (name: string): boolean => name.toLowerCase().startsWith('prefect')

export function createBlockType({ clock, newId }: ServerContext, body: Received<typeof BlockTypeCreate>) {
  if (isReservedTypeName(body.name)) throw forbidden('Block type names starting with "Prefect" are reserved.')
  return async (tx: Tx): Promise<BlockTypeRow> => {
    const now = clock.now()
    const row = { id: newId(), created: now, updated: now, ...body, ...escapeFields(body), is_protected: false }
    // Read first: on PostgreSQL a rejection after a write makes the write queue retry the whole batch.
    if ((await readBlockTypeBySlug(tx, body.slug)) || (await insertBlockTypes(tx, [row])) === 0)
      throw alreadyExists(`A block type with the slug ${body.slug}`)
    tx.emit(blockTypeEvent('created', row, newId(), now))
    return row
  }
}

/** As in the reference, texts are escaped at creation only. Clients ignore the escaping when they compare. */
const escapeFields = ({ description, code_example }: Pick<BlockTypeRow, 'description' | 'code_example'>) => ({
  description: description && escapeMarkup(description),
  code_example: code_example && escapeMarkup(code_example),
})

const changeable = ['logo_url', 'documentation_url', 'description', 'code_example'] as const

/** Updates a type, also a protected one, because clients register their own descriptions. Equal values change nothing. */
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

/** Deletes a type with its schemas and documents. */
export const removeBlockType =
  ({ clock, newId }: ServerContext, id: string) =>
  async (tx: Tx): Promise<void> => {
    const row = await lockBlockType(tx, id)
    if (!row) throw notFound('Block type')
    if (toBoolean(row.is_protected)) throw forbidden('Cannot delete a protected block type.')
    await detachFromDeployments(tx, 'block_type_id', id)
    await deleteBlockType(tx, id)
    tx.emit(blockTypeEvent('deleted', row, newId(), clock.now()))
  }

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Escapes markup characters but not quotes, because the text is no attribute value. */
const escapeMarkup = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Reverts `escapeMarkup`, for comparisons with a client's text. */
const unescapeMarkup = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]+));/g, (match, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return entities[name] ?? match
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : match
  })
