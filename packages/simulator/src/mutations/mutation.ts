/** A change of the source that takes out a fix or a safeguard. */
export interface Mutation {
  readonly name: string
  /** What goes wrong without the safeguard. */
  readonly fault: string
  readonly edits: readonly Edit[]
  /** The invariant that must fail in one of the seeds. */
  readonly invariants: readonly string[]
  /** Seeds 1 to n. */
  readonly seedsMax: number
}

export interface Edit {
  /** Path below `packages/server/src`. */
  readonly file: string
  /** Occurs once in the file. */
  readonly find: string
  readonly replace: string
}
