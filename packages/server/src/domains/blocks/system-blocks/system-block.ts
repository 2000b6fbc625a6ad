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

/** A field of a block that comes with the server. */
export interface Field {
  readonly schema: Readonly<Record<string, unknown>>
  readonly isRequired: boolean
  /** Where in the field secrets are: `''` is the field itself, `.*` all that is in it. */
  readonly secrets: readonly string[]
  /** The kinds of block that it may hold. */
  readonly blocks: readonly SystemBlock[]
}
