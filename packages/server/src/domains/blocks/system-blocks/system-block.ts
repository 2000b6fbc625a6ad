/** A built-in block type with its schema. */
export interface SystemBlock {
  readonly slug: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly isProtected: boolean
  /**
   * The checksum by which existing clients find this schema. It covers the client's descriptions, so it cannot be computed from ours and is
   * a constant. All that matters to a client (fields, types, defaults, required and secret fields) equals the client's schema.
   */
  readonly checksum: string
  readonly version: string
  readonly capabilities: readonly string[]
  /** As stored, without nested blocks. */
  readonly fields: object
  readonly secretFields: readonly string[]
  readonly nested: readonly { readonly name: string; readonly block: SystemBlock }[]
}

/** A field of a built-in block. */
export interface Field {
  readonly schema: Readonly<Record<string, unknown>>
  readonly isRequired: boolean
  /** Paths of secrets within the field: `''` is the field itself, `.*` everything in it. */
  readonly secrets: readonly string[]
  /** The block types that the field can reference. */
  readonly blocks: readonly SystemBlock[]
}
