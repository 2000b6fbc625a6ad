import type { Unavailability } from '../dialect.ts'

/** By SQLSTATE or its class. The longest prefix wins. */
const states: readonly (readonly [prefix: string, kind: Unavailability])[] = [
  ['08', 'lost'], // connection exceptions
  ['25006', 'refusing'], // a standby, or a database that was made read-only
  ['25P03', 'lost'], // idle_in_transaction_session_timeout: this process was frozen or blocked
  ['25P04', 'lost'], // transaction_timeout
  ['28', 'unreachable'], // the password or the access rules were changed
  ['3D000', 'unreachable'], // the database was dropped or renamed
  ['53', 'refusing'], // disk full, out of memory
  ['53300', 'unreachable'], // too many connections
  ['55P03', 'refusing'], // lock_timeout
  ['57014', 'refusing'], // statement_timeout; the server cancels nothing itself
  ['57P', 'lost'], // shutdown, crash, terminated by an administrator
  ['57P03', 'unreachable'], // starting up, shutting down or in recovery
  ['58', 'refusing'], // I/O errors of the database server
]

/** Of Node's network, name resolution and TLS. */
const codes: ReadonlyMap<string, Unavailability> = new Map([
  ...(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'] as const).map((code) => [code, 'lost'] as const),
  ...(
    [
      'ECONNREFUSED',
      'ETIMEDOUT',
      'EHOSTUNREACH',
      'EHOSTDOWN',
      'ENETUNREACH',
      'ENETDOWN',
      'EADDRNOTAVAIL',
      'ENOTFOUND',
      'EAI_AGAIN',
      'EAI_FAIL',
      'EAI_NODATA',
      'EPROTO',
      'CERT_HAS_EXPIRED',
      'CERT_NOT_YET_VALID',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ] as const
  ).map((code) => [code, 'unreachable'] as const),
])

/** What `pg` and `pg-pool` throw without a code. */
const messages: readonly (readonly [pattern: RegExp, kind: Unavailability])[] = [
  [/^Connection terminated due to connection timeout/, 'unreachable'],
  [/^Connection terminated/, 'lost'],
  [/and is not queryable$/, 'lost'],
  [/^(timeout expired|timeout exceeded when trying to connect|Query read timeout)$/, 'unreachable'],
  [/^(The server does not support SSL connections|There was an error establishing an SSL connection)$/, 'unreachable'],
  [/^Cannot use a pool after calling end on the pool$/, 'unreachable'],
]

/** Whether an error means that the database is away, and in which way. */
export function unavailability(error: unknown): Unavailability | undefined {
  if (!(error instanceof Error)) return undefined
  const code = String((error as { code?: unknown }).code ?? '')
  return byState(code) ?? byCode(code, error) ?? byMessage(error) ?? byCause(error)
}

function byState(code: string): Unavailability | undefined {
  if (!/^[0-9A-Z]{5}$/.test(code)) return undefined
  let found: readonly [string, Unavailability] | undefined
  for (const entry of states) if (code.startsWith(entry[0]) && entry[0].length > (found?.[0].length ?? 0)) found = entry
  return found?.[1]
}

function byCode(code: string, error: Error): Unavailability | undefined {
  // A socket in the file system that is not there, or that is not ours to use.
  if ((code === 'ENOENT' || code === 'EACCES') && (error as NodeJS.ErrnoException).syscall === 'connect') return 'unreachable'
  return codes.get(code) ?? (/^ERR_(SSL|TLS)_/.test(code) ? 'unreachable' : undefined)
}

const byMessage = (error: Error): Unavailability | undefined => messages.find(([pattern]) => pattern.test(error.message))?.[1]

/** Node tries every address of a name and throws all failures together. */
function byCause(error: Error): Unavailability | undefined {
  const parts: unknown[] = error instanceof AggregateError ? error.errors : []
  for (const part of [...parts, error.cause]) {
    const kind = part === undefined ? undefined : unavailability(part)
    if (kind) return kind
  }
  return undefined
}
