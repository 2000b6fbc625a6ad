import type { Config } from '../config.ts'
import type { Actor } from '../lib/actor.ts'
import type { Bus } from '../lib/bus.ts'
import type { Random } from '../lib/random.ts'
import type { Clock } from '../lib/time.ts'
import type { Db } from './database.ts'
import type { DatabaseBackups, ReplicaStatus } from './pool.ts'
import type { Commands, WriteQueue } from './write-queue.ts'

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

/** The services of the server for one actor. An operation that writes takes this, so that its commands cannot be without an actor (ADR 0056). */
export interface ActingContext extends ServerContext {
  /** The same without an actor, for what is remembered by server. */
  readonly server: ServerContext
  readonly actor: Actor
  readonly commands: Commands
}

export const actAs = (context: ServerContext, actor: Actor): ActingContext => ({
  ...context,
  server: serverOf(context),
  actor,
  commands: context.writeQueue.as(actor),
})

export const serverOf = (context: ServerContext): ServerContext => (context as Partial<ActingContext>).server ?? context

/** Creates a value once per server, for all its callers. Batches need this: the write queue groups commands by the identity of their batch function. */
export function perServer<T>(create: (context: ServerContext) => T): (context: ServerContext) => T {
  const values = new WeakMap<ServerContext, T>()
  return (context) => {
    const server = serverOf(context)
    const value = values.get(server) ?? create(server)
    values.set(server, value)
    return value
  }
}
