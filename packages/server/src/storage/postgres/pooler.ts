import pg from 'pg'
import { StartupError } from '../../lib/startup-error.ts'
import { waitSeconds } from '../../lib/time.ts'
import { Session } from './session.ts'
import { beginStatement } from './session-query.ts'

/** Settings that a pooler passes to the database. Those of the TCP connection concern the pooler. */
const isForTransactions = (name: string): boolean => !name.startsWith('tcp_')

/**
 * Makes a new session ready. Directly connected, the settings are those of the session. A pooler in transaction mode gives each transaction any
 * backend, so there every transaction sets them for itself, and is found in `pg_stat_activity` by its application name.
 */
export async function prepareSession(session: Session, settings: Readonly<Record<string, string>>): Promise<void> {
  await session.identify()
  if (!session.isPooled) return session.configure(settings)
  session.label = `millrace ${session.loginPid}`
  const names = Object.keys(settings).filter(isForTransactions)
  // Skips settings that this version of PostgreSQL does not have.
  const { rows } = await session.send([{ text: 'select name from pg_settings where name = any($1::text[])', replans: true, values: [names] }])
  const local = rows.map(({ name }) => `set local ${name} = ${pg.escapeLiteral(settings[name] as string)}`)
  session.beginText = [beginStatement, `set local application_name = ${pg.escapeLiteral(session.label)}`, ...local].join('; ')
}

/** How long a probe of the pooler may take. A pool with a single connection would wait forever. */
const probeSeconds = 2

/** Attempts to occupy one backend, among others of the pool. */
const occupyAttemptsMax = 5

/**
 * Whether statements prepared by name work through a pooler (PgBouncer from 1.21 with `max_prepared_statements`). Prepares one, occupies its backend
 * with another transaction, and executes it, which then happens on a second backend. False where that cannot be found out.
 */
export async function poolerKeepsNames(url: string): Promise<boolean> {
  const sessions: Session[] = []
  const open = async () => {
    const session = new Session({ connectionString: url, application_name: 'millrace' })
    sessions.push(session)
    await session.connect()
    return session
  }
  const readPid = async (session: Session): Promise<number> =>
    (await session.send([{ text: 'select pg_backend_pid() as pid', name: 'probe', values: [] }])).rows[0].pid

  async function probe(): Promise<boolean> {
    const first = await open()
    const pid = await readPid(first)
    for (let n = 0; n < occupyAttemptsMax; n += 1) {
      const other = await open()
      await other.script('begin')
      const { rows } = await other.send([{ text: 'select pg_backend_pid() as pid', replans: true, values: [] }])
      if (rows[0].pid === pid) return (await readPid(first)) !== pid
    }
    return false
  }

  try {
    return await Promise.race([probe().catch(() => false), waitSeconds(probeSeconds).then(() => false)])
  } finally {
    for (const session of sessions) session.abandon(new Error('Connection terminated: the probe is done'))
  }
}

/** Connects and disconnects. Throws if that is not possible. */
export async function checkConnection(url: string): Promise<void> {
  const session = new Session({ connectionString: url, application_name: 'millrace' })
  try {
    await session.connect()
  } finally {
    session.abandon(new Error('Connection terminated: the check is done'))
  }
}

const identityQuery = `select (select oid from pg_database where datname = current_database())::text as database, pg_postmaster_start_time()::text as started`

/** Throws unless both URLs lead to the same database. Returns whether the direct one goes through a pooler too. */
export async function checkDirectUrl(url: string, directUrl: string): Promise<boolean> {
  const [through, direct] = await Promise.all(
    [url, directUrl].map(async (connectionString) => {
      const session = new Session({ connectionString, application_name: 'millrace' })
      try {
        await session.connect()
        await session.identify()
        const { rows } = await session.send([{ text: identityQuery, replans: true, values: [] }])
        return { ...(rows[0] as { database: string; started: string }), isPooled: session.isPooled }
      } finally {
        session.abandon(new Error('Connection terminated: the check is done'))
      }
    }),
  )
  if (through?.database !== direct?.database || through?.started !== direct?.started)
    throw new StartupError(
      'databaseUnusable',
      'MILLRACE_DATABASE_DIRECT_URL leads to another database than MILLRACE_DATABASE_URL. Give both the same server and database.',
    )
  return direct?.isPooled === true
}

export const poolerWarnings = {
  noDirectUrl:
    'MILLRACE_DATABASE_URL leads through a connection pooler. Set MILLRACE_DATABASE_DIRECT_URL to the address of PostgreSQL itself: without it servers do not notify each other and poll once a second.',
  directUrlIsPooled:
    'MILLRACE_DATABASE_DIRECT_URL leads through a connection pooler too. Set it to the address of PostgreSQL itself: through a pooler in transaction mode servers do not notify each other.',
  noNames:
    'The connection pooler does not keep statements that are prepared by name, or this cannot be found out, so each statement is parsed again. With PgBouncer 1.21 or later set its max_prepared_statements to 500.',
} as const
