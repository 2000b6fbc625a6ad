import type { Config } from '../config.ts'

/** More processes on one machine mostly wait for the database. */
const defaultMax = 4

/** A process writes on two connections at once and needs others for reads. */
const connectionsMin = 4

/**
 * How many equal processes serve the port of this server. One for two cores: the database needs as much time as the server, and processes that compete with
 * it are slower than one, because their batches of writes are smaller.
 */
export function countProcesses({ server, database }: Config, cores: number): number {
  if (database.url.startsWith('sqlite:')) return 1
  return server.processes ?? (server.api.enabled ? Math.min(Math.ceil(cores / 2), defaultMax) : 1)
}

/** Why the server cannot start with this number of processes; undefined if it can. */
export function processesProblem({ server: { processes }, database }: Config): string | undefined {
  if (processes === null || processes === 1 || !database.url.startsWith('sqlite:')) return undefined
  return `Cannot start ${processes} processes on SQLite: one process writes to the file. Use --processes 1, or a PostgreSQL database.`
}

/** The connections of one process: its share of `database.pool_size`. */
export const connectionsPerProcess = ({ database }: Config, processes: number): number =>
  processes === 1 ? database.pool_size : Math.max(connectionsMin, Math.ceil(database.pool_size / processes))
