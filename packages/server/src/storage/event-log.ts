import type { Row } from './tables.ts'

/** An event on its way into the log, with what is kept beside it. */
export interface NewEvent {
  readonly row: Row<'event'>
  /** Every resource it names, each once in each of its roles; what it is about has none. */
  readonly resources: readonly { readonly id: string; readonly role: string }[]
  readonly quarter: number
  /** Whether it came from outside, and may have come before: then the first one stays. */
  readonly isFromClient: boolean
}
