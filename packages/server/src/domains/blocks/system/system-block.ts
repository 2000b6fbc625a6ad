import { compatibleVersion } from '../../../version.ts'
import { type Field, titleOf } from './fields.ts'

interface Written {
  readonly slug: string
  readonly name: string
  /** The name of the class in clients; definitions go by it. */
  readonly title: string
  readonly description: string
  readonly checksum: string
  /** Of the client's package that has the block; the checksum is of that version. */
  readonly version?: string
  readonly capabilities?: readonly string[]
  readonly isProtected?: boolean
  readonly fields: Readonly<Record<string, Field>>
  /** What fields refer to that is no block. */
  readonly definitions?: Readonly<Record<string, object>>
}

/** A block type that comes with the server, with the one schema that it comes with. */
export interface SystemBlock {
  readonly slug: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly isProtected: boolean
  /**
   * The checksum under which existing clients look for this schema. Theirs counts their own descriptions too, so that it cannot come out of
   * ours: it is given, and all that matters to a client (fields, types, defaults, what is required or secret) is as it is there.
   */
  readonly checksum: string
  readonly version: string
  readonly capabilities: readonly string[]
  /** As they are stored: without nested blocks. */
  readonly fields: object
  readonly secretFields: readonly string[]
  readonly nested: readonly { readonly name: string; readonly block: SystemBlock }[]
}

export function systemBlock(written: Written): SystemBlock {
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
    version: written.version ?? compatibleVersion,
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
