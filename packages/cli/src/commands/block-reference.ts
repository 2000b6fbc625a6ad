import type { MillraceClient } from '@millrace/client/client.ts'
import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import type { BlockSchema } from '@millrace/contracts/block-schema.ts'
import type { BlockType } from '@millrace/contracts/block-type.ts'
import { CommandError } from '../errors.ts'
import { ambiguousItem, findItem, itemNotFound } from '../find-item.ts'
import { isId } from '../resolve.ts'

export const blockArgument = ['<block>', 'TYPE/NAME, a name that only one type has, or an id'] as const

export const fullName = ({ block_type, name }: BlockDocument): string => `${block_type?.slug}/${name}`

/** A block document by `TYPE/NAME`, name or id. Secrets are masked unless they are asked for. */
export async function findBlock(client: MillraceClient, reference: string, includeSecrets = false): Promise<BlockDocument> {
  const item = { noun: 'Block', name: reference, list: 'block ls' }
  if (isId(reference)) return findItem(item, () => client.blockDocuments.read(reference, { includeSecrets }))
  const slash = reference.indexOf('/')
  if (slash >= 0) {
    const [slug, name] = [reference.slice(0, slash), reference.slice(slash + 1)]
    if (slug === '' || name === '') throw itemNotFound(item)
    return findItem(item, () => client.blockDocuments.readByName(slug, name, { includeSecrets }))
  }
  const [block, ...namesakes] = await client.blockDocuments.list({
    block_documents: { name: { any_: [reference] } },
    include_secrets: includeSecrets,
  })
  if (!block) throw itemNotFound(item)
  if (namesakes.length === 0) return block
  const choices = [block, ...namesakes].map(fullName).sort()
  throw ambiguousItem(item, choices, 'Name the type:')
}

export const findBlockType = (client: MillraceClient, reference: string): Promise<BlockType> =>
  findItem({ noun: 'Block type', name: reference, list: 'block type ls' }, () =>
    isId(reference) ? client.blockTypes.read(reference) : client.blockTypes.readBySlug(reference),
  )

/** The newest schema of a type. */
export async function readNewestSchema(client: MillraceClient, { id, slug }: BlockType): Promise<BlockSchema> {
  const [schema] = await client.blockSchemas.list({ block_schemas: { block_type_id: { any_: [id] } }, limit: 1 })
  if (!schema) throw new CommandError(`Block type "${slug}" has no schema. Register it from code first.`)
  return schema
}
