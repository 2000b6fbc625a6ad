import type pg from 'pg'
import type { Unavailability } from '../dialect.ts'

/** By SQLSTATE or its class. The first that matches wins. */
const states: readonly (readonly [prefix: string, kind: Unavailability])[] = [
  ['08', 'lost'], // connection exceptions
  ['25006', 'refusing'], // a standby, or a database that was made read-only
  ['25P03', 'lost'], // idle_in_transaction_session_timeout: this process was frozen or blocked
  ['25P04', 'lost'], // transaction_timeout
  ['28', 'unreachable'], // the password or the access rules were changed
  ['3D000', 'unreachable'], // the database was dropped or renamed
  ['53300', 'unreachable'], // too many connections
  ['53', 'refusing'], // disk full, out of memory
  ['55P03', 'refusing'], // lock_timeout
  ['57014', 'refusing'], // statement_timeout; the server cancels nothing itself
  ['57P03', 'unreachable'], // starting up, shutting down or in recovery
  ['57P', 'lost'], // shutdown, crash, terminated by an administrator
  ['58', 'refusing'], // I/O errors of the database server
]

/** Error codes of Node for network, name resolution and TLS. */
const lostCodes = 'ECONNRESET EPIPE ECONNABORTED ERR_STREAM_DESTROYED ERR_STREAM_WRITE_AFTER_END'.split(' ')
const unreachableCodes = `ECONNREFUSED ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN EADDRNOTAVAIL
  ENOTFOUND EAI_AGAIN EAI_FAIL EAI_NODATA
  EPROTO CERT_HAS_EXPIRED CERT_NOT_YET_VALID DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN
  UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY`.split(/\s+/)

/** Errors of `pg` and `pg-pool` without a code. */
const messages: readonly (readonly [pattern: RegExp, kind: Unavailability])[] = [
  [/^Connection terminated due to connection timeout/, 'unreachable'],
  [/^Connection terminated|and is not queryable$/, 'lost'],
  [/^(timeout expired|timeout exceeded when trying to connect|Query read timeout|Cannot use a pool after calling end on the pool)$/, 'unreachable'],
  [/^(The server does not support SSL connections|There was an error establishing an SSL connection)$/, 'unreachable'],
]

/** How an error makes the database unavailable; undefined for any other error. */
export function unavailability(error: unknown): Unavailability | undefined {
  if (!(error instanceof Error)) return undefined
  const code = String((error as { code?: unknown }).code ?? '')
  return byState(code) ?? byCode(code, error) ?? byMessage(error) ?? byCause(error)
}

const byState = (code: string): Unavailability | undefined =>
  /^[0-9A-Z]{5}$/.test(code) ? states.find(([prefix]) => code.startsWith(prefix))?.[1] : undefined

function byCode(code: string, error: Error): Unavailability | undefined {
  // A socket file that is missing or not accessible.
  if ((code === 'ENOENT' || code === 'EACCES') && (error as NodeJS.ErrnoException).syscall === 'connect') return 'unreachable'
  if (lostCodes.includes(code)) return 'lost'
  return unreachableCodes.includes(code) || /^ERR_(SSL|TLS)_/.test(code) ? 'unreachable' : undefined
}

const byMessage = (error: Error): Unavailability | undefined => messages.find(([pattern]) => pattern.test(error.message))?.[1]

/** Node tries every address of a host name and throws all failures together. */
function byCause(error: Error): Unavailability | undefined {
  const causes: unknown[] = error instanceof AggregateError ? error.errors : []
  for (const cause of [...causes, error.cause]) {
    const kind = cause === undefined ? undefined : unavailability(cause)
    if (kind) return kind
  }
  return undefined
}

/**
 * A table has changed, by a migration beside this server, so that a prepared statement would return other columns. The database refuses to run it until it is
 * prepared again, and has run nothing of its message. Other statements of the session may be outdated too.
 */
export const isOutdatedStatement = (error: unknown): boolean =>
  error instanceof Error && (error as pg.DatabaseError).code === '0A000' && (error as pg.DatabaseError).routine === 'RevalidateCachedQuery'
