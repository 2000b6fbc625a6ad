import type { Config } from '../config.ts'
import type { Bus } from '../lib/bus.ts'
import type { Random } from '../lib/random.ts'
import type { Clock } from '../lib/time.ts'
import type { Db } from './database.ts'
import type { WriteQueue } from './write-queue.ts'

/** What the rooms of a server are handed by `app.ts`. Clock, ids and randomness come from outside, so that a test can bring its own. */
export interface ServerContext {
  readonly config: Config
  readonly writeQueue: WriteQueue
  /** Reads committed data only. */
  readonly reads: Db
  readonly clock: Clock
  readonly random: Random
  newId(): string
  readonly bus: Bus
}

/** Makes a thing once for each server, so that the lane sees one and the same batch whoever submits to it. */
export function perServer<T>(make: (context: ServerContext) => T): (context: ServerContext) => T {
  const made = new WeakMap<ServerContext, T>()
  return (context) => {
    const known = made.get(context) ?? make(context)
    made.set(context, known)
    return known
  }
}
