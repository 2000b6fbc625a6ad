import { titleOf } from './fields.ts'
import type { Field, SystemBlock } from './system-block.ts'

/** The client version that the checksums of its own blocks belong to. */
const clientVersion = '3.8.8'

interface BlockSpec {
  readonly slug: string
  readonly name: string
  /** The class name in clients, used as the key of definitions. */
  readonly title: string
  readonly description: string
  readonly checksum: string
  /** Version of the integration package that the checksum belongs to, if the block is not part of the client. */
  readonly version?: string
  readonly capabilities?: readonly string[]
  readonly isProtected?: boolean
  readonly fields: Readonly<Record<string, Field>>
  /** Definitions of referenced objects that are not blocks. */
  readonly definitions?: Readonly<Record<string, object>>
}

export function systemBlock(written: BlockSpec): SystemBlock {
  const { slug, title, description, fields, definitions } = written
  const entries = Object.entries(fields)
  const secretFields = entries.flatMap(([name, field]) => secretsOf(name, field))
  const required = entries.filter(([, field]) => field.isRequired).map(([name]) => name)
  return {
    slug,
    name: written.name,
    title,
    description,
    isProtected: written.isProtected ?? false,
    checksum: `sha256:${written.checksum}`,
    version: written.version ?? clientVersion,
    capabilities: written.capabilities ?? [],
    fields: {
      title,
      description,
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, { schema }], position) => [name, { title: titleOf(name), ...schema, position }])),
      ...(required.length > 0 ? { required } : {}),
      block_type_slug: slug,
      secret_fields: secretFields,
      ...(definitions ? { definitions } : {}),
    },
    secretFields,
    nested: entries.flatMap(([name, { blocks }]) => blocks.map((block) => ({ name, block }))),
  }
}

const secretsOf = (name: string, { secrets, blocks }: Field): string[] => [
  ...secrets.map((below) => `${name}${below}`),
  ...blocks.flatMap((block) => block.secretFields.map((below) => `${name}.${below}`)),
]
