import { randomUUID } from 'node:crypto'
import { connect, createServer, type Server } from 'node:net'
import pg from 'pg'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { emptyPostgres } from './databases.ts'
import { freePort } from './free-port.ts'
import type { Cluster } from './postgres/cluster.ts'
import { sharedPostgres } from './postgres/shared-postgres.ts'
import { type ProcessExit, runUntilExit } from './run-until-exit.ts'
import { startServerProcess } from './server-process.ts'

let cluster: Cluster
let hostAndPort: string

beforeAll(async () => {
  cluster = await sharedPostgres()
  hostAndPort = new URL(cluster.url('x')).host
})

const settingHint = 'the database URL (--database or MILLRACE_DATABASE_URL)'

const startOnUrl = (url: string, env: Record<string, string> = {}): Promise<ProcessExit> => runUntilExit(['--port', '0', '--database', url], { env })

const expectedExit = (message: string, code = 22): ProcessExit => ({ code, stdout: '', stderr: `${message}\n` })

async function createStartDatabase(): Promise<string> {
  const { url, drop } = await emptyPostgres()
  onTestFinished(drop)
  return url
}

async function query(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

test('reports an unreachable server after the connect timeout', async () => {
  const port = await freePort()
  const away = `No PostgreSQL server answers at 127.0.0.1:${port} (ECONNREFUSED). Start it, or correct ${settingHint}.`
  const url = `postgres://u:secret@127.0.0.1:${port}/x`
  expect(await startOnUrl(url, { MILLRACE_DATABASE_CONNECT_TIMEOUT_SECONDS: '0' })).toEqual(expectedExit(away, 23))
  expect(await startOnUrl(url, { MILLRACE_DATABASE_CONNECT_TIMEOUT_SECONDS: '0.6' })).toEqual(
    expectedExit(`${away} Trying again for 0.6 seconds.\n${away}`, 23),
  )
})

test('waits for a server that starts later', async () => {
  const url = new URL(await createStartDatabase())
  const target = Number(url.port)
  url.port = String(await freePort())
  let proxy: Server | undefined
  onTestFinished(() => void proxy?.close())
  const server = await startServerProcess(url.href, [], {}, (text) => {
    if (proxy || !text.includes('Trying again for 30 seconds')) return
    proxy = createServer((socket) => {
      const to = connect(target, '127.0.0.1')
      socket.pipe(to).pipe(socket)
      for (const end of [socket, to]) end.on('error', () => {})
    }).listen(Number(url.port), '127.0.0.1')
  })
  expect(proxy).toBeDefined()
  expect((await fetch(`${server.url}/api/ready`)).status).toBe(200)
  await server.kill('SIGKILL')
})

test('rejects an unknown database and a wrong password without waiting', async () => {
  const url = new URL(cluster.url('no_such_database'))
  const user = url.username
  expect(await startOnUrl(url.href)).toEqual(
    expectedExit(
      `PostgreSQL at ${hostAndPort} has no database "no_such_database". Create it with \`createdb no_such_database\`, or correct ${settingHint}.`,
    ),
  )
  url.password = 'wrong'
  expect(await startOnUrl(url.href)).toEqual(
    expectedExit(`PostgreSQL at ${hostAndPort} refuses the password of user "${user}". Correct ${settingHint}.`),
  )
})

test('reports a server without TLS', async () => {
  const url = new URL(cluster.url('postgres'))
  url.searchParams.set('sslmode', 'verify-full')
  expect(await startOnUrl(url.href)).toEqual(
    expectedExit(
      `PostgreSQL at ${hostAndPort} does not offer TLS, which sslmode asks for. Turn TLS on there, or remove sslmode from ${settingHint}.`,
    ),
  )
})

test('rejects a database of another program and of a newer version', async () => {
  const foreign = await createStartDatabase()
  await query(foreign, 'create table users (id integer)')
  expect(await startOnUrl(foreign)).toEqual(
    expectedExit(
      `The database "${new URL(foreign).pathname.slice(1)}" belongs to another program: it has the table users, but none of Millrace's. Choose an empty database with --database.`,
    ),
  )
  const newer = await createStartDatabase()
  await query(
    newer,
    'create table millrace_migration (number integer primary key, name text not null, breaking integer not null, applied bigint not null)',
    "insert into millrace_migration values (999, '999_later', 1, 0)",
  )
  expect(await startOnUrl(newer)).toEqual(
    expectedExit(
      'The database has migration 999_later, which Millrace 0.1.0 does not know. Start the newer version that applied it, or restore a backup from before the upgrade.',
    ),
  )
})

test('reports a user without permission to create tables', async () => {
  const url = new URL(await createStartDatabase())
  const role = `r${randomUUID().replaceAll('-', '')}`
  await query(url.href, `create role ${role} login password 'p'`)
  onTestFinished(() => query(cluster.url('postgres'), `drop role ${role}`))
  url.username = role
  url.password = 'p'
  expect(await startOnUrl(url.href)).toEqual(
    expectedExit(
      `User "${role}" lacks a permission in the database "${url.pathname.slice(1)}" of PostgreSQL at ${hostAndPort} (permission denied for schema public). Make it the owner of the database, or grant it CREATE on the schema.`,
    ),
  )
})
