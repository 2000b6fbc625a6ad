import pg from 'pg'
import type { Connection, ReadOptions, SqlValue } from '../connection.ts'
import { prepareSession } from './pooler.ts'
import { Session } from './session.ts'
import { isOutdatedStatement } from './unavailability.ts'
import type { Watchdog } from './watchdog.ts'

/** How long a caller waits for a free connection. */
const acquireTimeoutSeconds = 4

export interface SessionPoolOptions {
  readonly max: number
  readonly settings: Readonly<Record<string, string>>
  readonly watchdog: Watchdog
  /** Whether a session prepares statements by name. */
  usesNames(session: Session): boolean
  /** Called when an idle connection breaks; the pool replaces it. */
  onError(error: Error): void
}

export interface SessionPool {
  withSession<R>(use: (session: Session) => Promise<R>): Promise<R>
  end(): Promise<void>
}

export function openSessionPool(url: string, { max, settings, watchdog, usesNames, onError }: SessionPoolOptions): SessionPool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: 'millrace',
    connectionTimeoutMillis: acquireTimeoutSeconds * 1000,
    Client: Session as unknown as new () => pg.Client,
    async onConnect(client) {
      const session = client as Session
      watchdog.add(session)
      await prepareSession(session, settings)
    },
  })
  let ended: Promise<void> | undefined
  pool.on('error', onError)
  pool.on('acquire', (client) => {
    ;(client as unknown as Session).isIdle = false
  })
  pool.on('release', (_error, client) => {
    ;(client as unknown as Session).isIdle = true
  })
  return {
    async withSession<R>(use: (session: Session) => Promise<R>): Promise<R> {
      const client = await pool.connect()
      const session = client as unknown as Session
      session.usesNames = usesNames(session)
      try {
        return await use(session)
      } finally {
        client.release(session.lost)
      }
    },
    // A signal during a failed start closes the server twice.
    end: () => (ended ??= pool.end()),
  }
}

/** Runs each statement on a free connection. */
export function createReadConnection({ withSession }: Pick<SessionPool, 'withSession'>): Connection {
  const send = (text: string, values: readonly SqlValue[], options?: ReadOptions) =>
    withSession(async (session) => {
      const statement = { text, values, replans: options?.replans }
      const sendOnce = () => (session.isPooled ? session.sendAlone(statement) : session.send([statement]))
      return sendOnce().catch((error) => {
        if (!isOutdatedStatement(error)) throw error
        return sendOnce()
      })
    })
  return {
    async all<R>(text: string, values: readonly SqlValue[], options?: ReadOptions) {
      return (await send(text, values, options)).rows as R[]
    },
    async run(text, values) {
      return (await send(text, values)).rowCount ?? 0
    },
    async runEach(text, rows) {
      let changed = 0
      for (const values of rows) changed += (await send(text, values)).rowCount ?? 0
      return changed
    },
    async script(text) {
      await withSession((session) => session.script(text))
    },
  }
}
