import type { Criteria } from './criteria.ts'
import type { LoggedEvent } from './logged-event.ts'

/** A subscriber to events, without what is behind it. */
export interface Listener {
  readonly criteria: Criteria
  readonly signal: AbortSignal
  /** Bytes that were handed over and are not gone yet. */
  readonly unsentBytes: number
  waitForDrain(): Promise<void>
  send(event: LoggedEvent): void
  /** It has not read anything for too long. */
  disconnect(): void
}
