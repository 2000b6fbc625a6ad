import { join } from 'node:path'
import { freePort } from '../../packages/server/test/free-port.ts'
import { type Postgres, startPostgres } from '../../packages/server/test/postgres/launcher.ts'
import { postgresBinaries } from '../../packages/server/test/postgres/patroni.ts'
import { startServerProcess } from '../../packages/server/test/server-process.ts'
import { isExecuted } from './check-page.ts'
import type { Page } from './page-blocks.ts'
import type { PageEnvironment } from './page-environment.ts'
import type { Substitute } from './page-script.ts'

export interface StartedServer {
  readonly substitute: Substitute
  readonly variables: Readonly<Record<string, string>>
  /** The port that stands for 4200. */
  readonly port: number
  stop(): Promise<void>
}

/** Starts what a page finds running: a server on its own database, with the addresses that the page writes. */
export async function startPageServer(page: Page, { home, port: wantedPort }: PageEnvironment): Promise<StartedServer> {
  const port = wantedPort ?? (await freePort())
  const postgres = needsPostgres(page) ? await startPagePostgres() : undefined
  const substitutePorts = await portSubstitution(page, port)
  const substitute: Substitute = (text) => substitutePorts(postgres ? substituteDatabases(text, postgres) : text)
  // A server that the page itself starts listens where the page says that it does.
  const variables = {
    MILLRACE_API_URL: `http://127.0.0.1:${port}/api`,
    MILLRACE_SERVER_PORT: String(port),
    ...(postgres && databaseVariables(postgres)),
  }
  if (page.server === 'none') return { substitute, variables, port, stop: async () => postgres?.stop() }
  const url = postgres && page.server === 'postgres' ? postgres.url('millrace') : `sqlite:${join(home, '.millrace', 'millrace.db')}`
  // Without the delay for load balancers, which a page that asks for the readiness would wait for.
  const env = { HOME: home, MILLRACE_SERVER_LOG_LEVEL: 'silent', MILLRACE_SERVER_SHUTDOWN_DELAY_SECONDS: '0' }
  const server = await startServerProcess(url, ['--port', String(port)], env)
  return {
    substitute,
    variables,
    port,
    async stop() {
      await server.kill('SIGTERM')
      await postgres?.stop()
    },
  }
}

/** A page on PostgreSQL, or one whose commands name a database of it. */
export const needsPostgres = ({ server, blocks }: Page): boolean =>
  server === 'postgres' || blocks.some((block) => isExecuted(block) && databaseUrl.test(`${block.before}\n${block.text}`))

/** Of the Debian package if it is installed: pages call `pg_dump` and others, which must not be older than the server. */
async function startPagePostgres(): Promise<Postgres> {
  const programs = postgresBinaries()
  // `millrace doctor` reports a server without autovacuum.
  const postgres = await startPostgres({ settings: { autovacuum: 'on' }, ...(programs !== undefined && { programs }) })
  await postgres.createDatabase('millrace')
  return postgres
}

const documentedPort = /(?<=(?:127\.0\.0\.1|localhost):|--port[ =]|PORT=)4[23]\d\d\b/g

/** Each port from 4200 to 4399 that the page names becomes a free one. */
async function portSubstitution(page: Page, port: number): Promise<Substitute> {
  const ports = new Map([['4200', String(port)]])
  const named = page.blocks.flatMap(({ text, before }) => [...(text.match(documentedPort) ?? []), ...(before.match(documentedPort) ?? [])])
  for (const each of new Set(named)) if (!ports.has(each)) ports.set(each, String(await freePort()))
  return (text) => text.replaceAll(documentedPort, (each) => ports.get(each) ?? each)
}

/** `postgres://user:password@host/NAME` is the database NAME of the page's PostgreSQL server. */
const databaseUrl = /(postgres(?:ql)?(?:\+\w+)?):\/\/[^\s/'"]+\/(\w+)/

const substituteDatabases = (text: string, postgres: Postgres): string =>
  text.replaceAll(new RegExp(databaseUrl, 'g'), (_, scheme: string, name: string) => postgres.url(name).replace(/^\w+/, scheme))

/** For `psql`, `createdb` and others. */
function databaseVariables({ adminUrl }: Postgres): Record<string, string> {
  const { hostname, port, username, password } = new URL(adminUrl)
  return { PGHOST: hostname, PGPORT: port, PGUSER: decodeURIComponent(username), PGPASSWORD: decodeURIComponent(password) }
}
