import { expect, test } from 'vitest'
import type { Unavailability } from '../dialect.ts'
import { postgres } from './dialect.ts'

const coded = (code: string, message = 'any message', rest: object = {}): Error => Object.assign(new Error(message), { code, ...rest })

const cases: readonly (readonly [what: string, error: unknown, kind: Unavailability | undefined])[] = [
  ['a socket that ended', new Error('Connection terminated unexpectedly'), 'lost'],
  ['a connection that was ended by us', new Error('Connection terminated'), 'lost'],
  ['a statement on a broken connection', new Error('Client has encountered a connection error and is not queryable'), 'lost'],
  ['a statement on a closed connection', new Error('Client was closed and is not queryable'), 'lost'],
  ['a reset', coded('ECONNRESET', 'read ECONNRESET'), 'lost'],
  ['a broken pipe', coded('EPIPE', 'write EPIPE'), 'lost'],
  ['connection_exception', coded('08000'), 'lost'],
  ['connection_failure', coded('08006'), 'lost'],
  ['protocol_violation', coded('08P01'), 'lost'],
  ['admin_shutdown', coded('57P01'), 'lost'],
  ['crash_shutdown', coded('57P02'), 'lost'],
  ['database_dropped', coded('57P04'), 'lost'],
  ['idle_session_timeout', coded('57P05'), 'lost'],
  ['idle_in_transaction_session_timeout', coded('25P03'), 'lost'],
  ['transaction_timeout', coded('25P04'), 'lost'],
  ['cannot_connect_now', coded('57P03', 'the database system is starting up'), 'unreachable'],
  ['a standby in recovery', coded('57P03', 'the database system is not yet accepting connections'), 'unreachable'],
  ['too_many_connections', coded('53300'), 'unreachable'],
  ['a changed password', coded('28P01'), 'unreachable'],
  ['a changed pg_hba.conf', coded('28000'), 'unreachable'],
  ['a database that does not exist', coded('3D000'), 'unreachable'],
  ['a connect that takes too long', new Error('timeout expired'), 'unreachable'],
  ['a pool without a free connection', new Error('timeout exceeded when trying to connect'), 'unreachable'],
  [
    'a connect that the pool gave up',
    new Error('Connection terminated due to connection timeout', { cause: new Error('Connection terminated') }),
    'unreachable',
  ],
  ['a statement that the driver gave up', new Error('Query read timeout'), 'unreachable'],
  ['a pool that was closed', new Error('Cannot use a pool after calling end on the pool'), 'unreachable'],
  ['a refused connection', coded('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'), 'unreachable'],
  ['all addresses refused', new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')]), 'unreachable'],
  ['no answer in time', coded('ETIMEDOUT'), 'unreachable'],
  ['no way to the host', coded('EHOSTUNREACH'), 'unreachable'],
  ['a name server that does not answer', coded('EAI_AGAIN', 'getaddrinfo EAI_AGAIN db'), 'unreachable'],
  ['a name that does not exist', coded('ENOTFOUND'), 'unreachable'],
  ['a missing socket file', coded('ENOENT', 'connect ENOENT', { syscall: 'connect' }), 'unreachable'],
  ['a server without TLS', new Error('The server does not support SSL connections'), 'unreachable'],
  ['a failed TLS handshake', coded('EPROTO'), 'unreachable'],
  ['a TLS alert', coded('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'), 'unreachable'],
  ['an expired certificate', coded('CERT_HAS_EXPIRED'), 'unreachable'],
  ['a self-signed certificate', coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'unreachable'],
  ['a certificate for another host', coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'unreachable'],
  ['disk_full', coded('53100'), 'refusing'],
  ['out_of_memory', coded('53200'), 'refusing'],
  ['read_only_sql_transaction', coded('25006'), 'refusing'],
  ['statement_timeout', coded('57014'), 'refusing'],
  ['lock_timeout', coded('55P03'), 'refusing'],
  ['io_error', coded('58030'), 'refusing'],
  ['an error of our catalogue that was caused by one', new Error('wrapped', { cause: coded('57P01') }), 'lost'],
  ['a unique violation', coded('23505'), undefined],
  ['a broken transaction', coded('25P02'), undefined],
  ['a division by zero', coded('22012'), undefined],
  ['a missing file', coded('ENOENT', 'open ENOENT', { syscall: 'open' }), undefined],
  ['a mistake in the code', new TypeError('x is not a function'), undefined],
  ['nothing', undefined, undefined],
  ['a text', 'Connection terminated', undefined],
]

test.each(cases)('classifies %s', (_what, error, kind) => {
  expect(postgres.unavailability(error)).toBe(kind)
  expect(postgres.isUnavailable(error)).toBe(kind !== undefined)
})
