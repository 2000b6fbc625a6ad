import pg from 'pg'
import { errorCode, StartupError } from '../../lib/startup-error.ts'
import { addSeconds, type Clock, systemClock, waitSeconds } from '../../lib/time.ts'
import type { WaitOptions } from '../pool.ts'

/** Why a start failed, and whether a retry may succeed. */
export interface StartFailure {
  readonly error: StartupError
  readonly isTransient: boolean
}

const checkUrl = 'the database URL (--database or MILLRACE_DATABASE_URL)'

/** Explains a failed first connection or migration. Undefined for an error that the database did not cause. */
export function explainStartFailure(failed: unknown, url: string): StartFailure | undefined {
  const error = innermost(failed)
  if (error instanceof StartupError) return { error, isTransient: false }
  const { host, port, user, database } = new pg.Client({ connectionString: url })
  const place = host.startsWith('/') ? `the socket ${host}` : `${host}:${port}`
  const code = errorCode(error)
  // A missing file has another cause; a missing socket is a database error.
  if (code === 'ENOENT' && (error as NodeJS.ErrnoException).syscall !== 'connect') return undefined
  const message = error instanceof Error ? error.message : String(error)
  const unreachable = (text: string): StartFailure => ({ error: new StartupError('databaseUnreachable', text, failed), isTransient: true })
  const unusable = (text: string): StartFailure => ({ error: new StartupError('databaseUnusable', text, failed), isTransient: false })

  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return unreachable(`No PostgreSQL server answers at ${place} (${code}). Start it, or correct ${checkUrl}.`)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return unreachable(`The host "${host}" of the PostgreSQL server cannot be found (${code}). Correct ${checkUrl}, or the DNS.`)
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return unreachable(`PostgreSQL at ${place} cannot be reached (${code}). Check the network and the firewall, or correct ${checkUrl}.`)
    case '57P03':
      return unreachable(`PostgreSQL at ${place} is not ready for connections (${message}). Wait until it is.`)
    case '53300':
      return unreachable(`PostgreSQL at ${place} has no connection left (${message}). Close others, or raise its max_connections.`)
    case '28P01':
      return unusable(`PostgreSQL at ${place} refuses the password of user "${user}". Correct ${checkUrl}.`)
    case '28000':
      return unusable(`PostgreSQL at ${place} refuses user "${user}" (${message}). Correct ${checkUrl}, or its pg_hba.conf.`)
    case '3D000':
      return unusable(`PostgreSQL at ${place} has no database "${database}". Create it with \`createdb ${database}\`, or correct ${checkUrl}.`)
    case '42501':
      return unusable(
        `User "${user}" lacks a permission in the database "${database}" of PostgreSQL at ${place} (${message}). Make it the owner of the database, or grant it CREATE on the schema.`,
      )
    case '25006':
      return unusable(`PostgreSQL at ${place} is read-only (${message}). Connect to the primary server.`)
    case '53100':
      return unusable(`The disk of PostgreSQL at ${place} is full (${message}). Free some space.`)
  }
  if (/server does not support SSL/i.test(message))
    return unusable(`PostgreSQL at ${place} does not offer TLS, which sslmode asks for. Turn TLS on there, or remove sslmode from ${checkUrl}.`)
  if (isCertificateError(code))
    return unusable(
      `The certificate of PostgreSQL at ${place} is not trusted (${message}). Add sslrootcert=FILE with its authority to ${checkUrl}, or correct the host name.`,
    )
  if (/client password must be a string/.test(message))
    return unusable(`PostgreSQL at ${place} asks user "${user}" for a password. Add it to ${checkUrl}.`)
  if (/^(ECONN|EPIPE|08)/.test(code) || /timeout|terminated unexpectedly/i.test(message))
    return unreachable(`PostgreSQL at ${place} does not answer (${message}). Check that it runs and that ${checkUrl} is right.`)
  return undefined
}

const isCertificateError = (code: string): boolean =>
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT)/.test(code)

/** The cause of a failed migration, or the first error of a host with several addresses. */
function innermost(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0])
  if (error instanceof Error && !(error instanceof StartupError) && errorCode(error) === '' && error.cause !== undefined)
    return innermost(error.cause)
  return error
}

const retrySeconds = 0.5

/**
 * Waits for a PostgreSQL server that is still starting, as in containers that start both at once. A permanent error, such as a wrong
 * password, is not retried.
 */
export async function waitForServer(
  connect: () => Promise<void>,
  url: string,
  { timeoutSeconds, onWait }: WaitOptions,
  clock: Clock = systemClock(),
): Promise<void> {
  const deadline = addSeconds(clock.now(), timeoutSeconds)
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connect()
    } catch (error) {
      const failure = explainStartFailure(error, url)
      if (!failure?.isTransient || addSeconds(clock.now(), retrySeconds) > deadline) throw error
      if (attempt === 1) onWait(`${failure.error.message} Trying again for ${timeoutSeconds} seconds.`)
      await waitSeconds(retrySeconds)
    }
  }
}
