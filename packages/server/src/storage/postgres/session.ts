import pg from 'pg'
import { type BoundStatement, beginName, beginStatement, type PreparedStatements, SessionQuery, type Step } from './session-query.ts'
import { isOutdatedStatement, unavailability } from './unavailability.ts'

/** The total time for the TCP connection, TLS and the login. */
export const connectTimeoutSeconds = 3

interface SendOptions {
  /** Begins a transaction first. */
  readonly begin?: boolean | undefined
}

/** A PostgreSQL connection that the watchdog can monitor and abandon. */
export class Session extends pg.Client {
  /** Why the connection is unusable. */
  lost: Error | undefined
  /** Statements sent without a response so far. */
  inFlight = 0
  /** Watchdog ticks since the last response, or since the first statement in flight was sent. */
  ticksWaited = 0
  /** The process id of the backend. */
  pid = 0
  /** Whether the session is idle in the pool. */
  isIdle = false
  /** Sessions of migrations have no time limit. */
  isUnlimited = false
  /** Whether a pooler such as PgBouncer is in between: each transaction may run on another backend, so `pid` and session settings mean nothing. */
  isPooled = false
  /** The application name of its transactions behind a pooler. */
  label = 'millrace'
  /** Starts a transaction. Behind a pooler it also applies the settings of the session. */
  beginText = beginStatement
  /** Whether statements are prepared by name. */
  usesNames = true
  readonly #prepared: PreparedStatements = new Map()
  /** A pooler prepares a statement with the same text only once, so that one that is outdated stays so. */
  #avoidsNames = false
  #isCorked = false

  constructor(config: pg.ClientConfig) {
    super({
      ...config,
      pipeline: true,
      connectionTimeoutMillis: connectTimeoutSeconds * 1000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 2000,
    })
    this.on('error', (error: Error) => {
      this.lost ??= error
    })
    this.on('end', () => {
      this.lost ??= new Error('Connection terminated')
    })
  }

  /** Reads the process id of the backend. A pooler sends another one at the login. */
  async identify(): Promise<void> {
    const { rows } = await this.send([{ text: 'select pg_backend_pid() as pid', replans: true, values: [] }])
    this.pid = Number(rows[0].pid)
    this.isPooled = this.pid !== this.loginPid
  }

  /** The process id that the login returned: of the backend, or one that a pooler has made up. */
  get loginPid(): number {
    return (this as unknown as { processID: number }).processID
  }

  /** Prepares `begin` and applies the settings in one round trip. */
  async configure(settings: Readonly<Record<string, string>>): Promise<void> {
    try {
      await this.#applyAll(settings)
    } catch (error) {
      if (this.lost || unavailability(error)) throw error
      await this.#applyEach(settings)
    }
  }

  async #applyAll(settings: Readonly<Record<string, string>>): Promise<void> {
    const names = Object.keys(settings)
    // Skips settings that this version of PostgreSQL does not have.
    const apply = `select pg_backend_pid() as pid, (select count(set_config(known.name, given.value, false))
      from unnest($1::text[], $2::text[]) as given(name, value) join pg_settings known using (name)) as applied`
    const [, result] = await Promise.all([
      this.send([{ text: beginStatement, name: beginName, values: [] }]),
      this.send([{ text: apply, replans: true, values: [names, names.map((name) => settings[name] as string)] }]),
      this.script('commit'),
    ])
    this.pid = Number(result.rows[0].pid)
  }

  /** Some platforms and services reject single settings. The others are applied. */
  async #applyEach(settings: Readonly<Record<string, string>>): Promise<void> {
    await this.#applyAll({})
    for (const [name, value] of Object.entries(settings)) {
      await this.send([{ text: 'select set_config($1, $2, false)', replans: true, values: [name, value] }]).catch((error) => {
        if (this.lost) throw error
      })
    }
  }

  /** Sends statements as one message. The result is that of the last one. Messages sent without waiting for each other share a round trip. */
  send(steps: readonly Step[], { begin = false }: SendOptions = {}): Promise<pg.QueryResult> {
    const usesNames = this.usesNames && !this.#avoidsNames
    // `set local` cannot be part of an extended message, so it goes ahead in the same round trip. If it fails, so does the statement.
    const began = begin && this.isPooled ? this.script(this.beginText) : undefined
    const options = { steps, usesNames, begin: begin && !began, prepared: this.#prepared }
    const sent = this.#track((settle) => void this.query(new SessionQuery(options, settle) as unknown as pg.Submittable))
    return began ? reportFirst(began, sent) : sent
  }

  /** Sends one statement in a transaction of its own, in one round trip. Behind a pooler no other way applies the statement timeout. */
  async sendAlone(statement: BoundStatement): Promise<pg.QueryResult> {
    const sent = this.send([statement], { begin: true })
    const ended = this.script('commit')
    await Promise.allSettled([sent, ended])
    await reportFirst(sent, ended)
    return sent
  }

  /** Sends several statements without values as one message. The database reads the whole message before it runs the first statement. */
  script(text: string): Promise<pg.QueryResult | pg.QueryResult[]> {
    return this.#track((settle) => void this.query(text, settle))
  }

  #track(submit: (settle: (error: Error | undefined | null, result: pg.QueryResult) => void) => void): Promise<pg.QueryResult> {
    this.#joinWrites()
    if (this.inFlight === 0) this.ticksWaited = 0
    this.inFlight += 1
    return new Promise((resolve, reject) => {
      submit((error, result) => {
        this.inFlight -= 1
        this.ticksWaited = 0
        if (!error) return resolve(result)
        if (isOutdatedStatement(error)) this.#prepareAgain()
        // The reason for the broken connection is more useful than the error of this statement.
        reject(this.lost && unavailability(error) ? this.lost : error)
      })
    }).catch((error) => {
      // The new stack trace points to the caller instead of the socket.
      Error.captureStackTrace(error)
      throw error
    }) as Promise<pg.QueryResult>
  }

  /** Each statement is prepared again when it is used next. A transaction that failed for this reason has to be repeated once, not for each of its statements. */
  #prepareAgain(): void {
    for (const statement of this.#prepared.values()) statement.exists = undefined
    this.#avoidsNames = this.isPooled
  }

  /** Joins the messages of one turn into one write to the socket. Each write costs 30 µs or more, and wakes the database. */
  #joinWrites(): void {
    if (this.#isCorked) return
    const { stream } = this.connection
    this.#isCorked = true
    stream.cork()
    process.nextTick(() => {
      this.#isCorked = false
      stream.uncork()
    })
  }

  /** Closes the connection at once and rejects all statements in flight. */
  abandon(reason: Error): void {
    this.lost ??= reason
    this.connection.stream.destroy(reason)
  }
}

/** The result of the second message. The error of the first one wins, because it causes the other. */
async function reportFirst<R>(first: Promise<unknown>, second: Promise<R>): Promise<R> {
  second.catch(() => undefined)
  await first
  return second
}
