/** Errors with the codes of PostgreSQL, so that the classification of the server is part of the simulation. */
const withCode = (code: string, message: string): Error => Object.assign(new Error(message), { code })

export const connectionLost = (): Error => new Error('Connection terminated unexpectedly')

/** PostgreSQL ends a session that is idle in a transaction, and rolls back. */
export const idleTimeout = (): Error => withCode('25P03', 'terminating connection due to idle-in-transaction timeout')

export const unreachable = (): Error => withCode('ETIMEDOUT', 'connect ETIMEDOUT')

export const diskFull = (): Error => withCode('53100', 'could not extend file: No space left on device')

export const deadlock = (): Error => withCode('40P01', 'deadlock detected')

export const lockTimeout = (): Error => withCode('55P03', 'canceling statement due to lock timeout')

export const abortedTransaction = (): Error => withCode('25P02', 'current transaction is aborted, commands ignored until end of transaction block')
