import type { EventRecord } from '../lib/event-record.ts'
import type { Tx } from '../storage/database.ts'
import type { StoredIds } from './log-reader.ts'

/** Valid events of one request, to be stored all or none. */
export interface SentEvents {
  readonly events: readonly EventRecord[]
  /** Which of their ids are stored already, because a client may send an event again. Called in the transaction that stores them. */
  findStored(tx: Tx): Promise<StoredIds>
}
