import { expect, test } from 'vitest'
import { explainStartFailure } from './startup-errors.ts'

const url = 'postgres://ann:secret@db.example:5433/flows'
const check = 'the database URL (--database or MILLRACE_DATABASE_URL)'

const failure = (code: string, message = 'reason'): Error => Object.assign(new Error(message), code === '' ? {} : { code })

test.each<[Error, string, boolean]>([
  [failure('ECONNREFUSED'), `No PostgreSQL server answers at db.example:5433 (ECONNREFUSED). Start it, or correct ${check}.`, true],
  [
    new AggregateError([failure('ECONNREFUSED'), failure('ECONNREFUSED')]),
    `No PostgreSQL server answers at db.example:5433 (ECONNREFUSED). Start it, or correct ${check}.`,
    true,
  ],
  [failure('EAI_AGAIN'), `The host "db.example" of the PostgreSQL server cannot be found (EAI_AGAIN). Correct ${check}, or the DNS.`, true],
  [
    failure('EHOSTUNREACH'),
    `PostgreSQL at db.example:5433 cannot be reached (EHOSTUNREACH). Check the network and the firewall, or correct ${check}.`,
    true,
  ],
  [
    failure('', 'timeout exceeded when trying to connect'),
    `PostgreSQL at db.example:5433 does not answer (timeout exceeded when trying to connect). Check that it runs and that ${check} is right.`,
    true,
  ],
  [
    failure('57P03', 'the database system is starting up'),
    'PostgreSQL at db.example:5433 is not ready for connections (the database system is starting up). Wait until it is.',
    true,
  ],
  [
    failure('53300', 'sorry, too many clients already'),
    'PostgreSQL at db.example:5433 has no connection left (sorry, too many clients already). Close others, or raise its max_connections.',
    true,
  ],
  [
    failure('28000', 'no pg_hba.conf entry'),
    `PostgreSQL at db.example:5433 refuses user "ann" (no pg_hba.conf entry). Correct ${check}, or its pg_hba.conf.`,
    false,
  ],
  [
    failure('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'),
    `The certificate of PostgreSQL at db.example:5433 is not trusted (self-signed certificate in certificate chain). Add sslrootcert=FILE with its authority to ${check}, or correct the host name.`,
    false,
  ],
  [
    failure('', 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
    `PostgreSQL at db.example:5433 asks user "ann" for a password. Add it to ${check}.`,
    false,
  ],
  [
    new Error('migration 003_x failed', { cause: failure('53100', 'could not extend file') }),
    'The disk of PostgreSQL at db.example:5433 is full (could not extend file). Free some space.',
    false,
  ],
])('explains %s', (error, message, isTransient) => {
  expect(explainStartFailure(error, url)).toMatchObject({ error: { message, exitCode: isTransient ? 23 : 22 }, isTransient })
})

test('names a socket by its folder and ignores errors that the database did not cause', () => {
  expect(explainStartFailure(Object.assign(failure('ENOENT'), { syscall: 'connect' }), 'postgres:///flows?host=/run/postgresql')?.error.message).toBe(
    `No PostgreSQL server answers at the socket /run/postgresql (ENOENT). Start it, or correct ${check}.`,
  )
  expect(explainStartFailure(new TypeError('a mistake'), url)).toBeUndefined()
  expect(explainStartFailure(Object.assign(failure('ENOENT'), { syscall: 'open' }), url)).toBeUndefined()
})
