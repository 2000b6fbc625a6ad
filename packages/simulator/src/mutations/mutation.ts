/** A change of the source that takes out a fix or a safeguard. */
export interface Mutation {
  readonly name: string
  /** What goes wrong without the safeguard. */
  readonly fault: string
  readonly edits: readonly Edit[]
  /** One of these must be the first to fail. */
  readonly invariants: readonly string[]
  /** Seeds 1 to n. The first failing seed ends the search. */
  readonly seedsMax: number
  /** Long seeds. */
  readonly isLong?: true
  /** Also part of a run of all tests, because it is found within seconds. */
  readonly isDaily?: true
}

export interface Edit {
  /** Path below `packages/server/src`. */
  readonly file: string
  /** Occurs once in the file. */
  readonly find: string
  readonly replace: string
}
