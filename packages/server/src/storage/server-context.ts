import type { Config } from '../config.ts'
import type { Bus } from '../lib/bus.ts'
import type { Random } from '../lib/random.ts'
import type { Clock } from '../lib/time.ts'
import type { Db } from './database.ts'
import type { DatabaseBackups, ReplicaStatus } from './pool.ts'
import type { WriteQueue } from './write-queue.ts'

/** The shared services of one server, created by `app.ts`. Tests replace the clock, the ids and the randomness. */
export interface ServerContext {
  readonly config: Config
  readonly writeQueue: WriteQueue
  /** Reads committed data only. */
  readonly reads: Db
  /** The same for rows by their ids (`readerById`). Undefined where each read has its own statement. */
  readonly keyReads?: Db | undefined
  /** The same for lists, counts, histories and graphs: a read replica answers where there is one. Must not decide about a write. */
  readonly heavyReads: Db
  /** The same for histories, counts and searches, which may take long and return few rows: on SQLite they run on a thread of their own. */
  readonly longReads: Db
  /** The state of the read replica; undefined without one. */
  readonly replicaStatus?: (() => ReplicaStatus) | undefined
  /** Makes backups; undefined for a database without a file of its own. */
  readonly backups?: DatabaseBackups | undefined
  readonly clock: Clock
  readonly random: Random
  newId(): string
  readonly bus: Bus
  /** Whether long work is done on other threads. A simulation has one thread only. */
  readonly usesThreads: boolean
}

/** Creates a value once per server. Batches need this: the write queue groups commands by the identity of their batch function. */
export function perServer<T>(create: (context: ServerContext) => T): (context: ServerContext) => T {
  const values = new WeakMap<ServerContext, T>()
  return (context) => {
    const value = values.get(context) ?? create(context)
    values.set(context, value)
    return value
  }
}
