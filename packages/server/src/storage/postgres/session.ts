import pg from 'pg'
import { beginName, SessionQuery } from './session-query.ts'
import { unavailability } from './unavailability.ts'

const int8 = 20
const json = 114
const jsonb = 3802

/** Times are 64-bit microseconds, which a number holds; JSON stays text, so that nothing in it is altered. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === int8) return Number
    if (oid === json || oid === jsonb) return (text: string) => text
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

/** How long a TCP connection, TLS and the log-in may take together. */
export const connectTimeoutSeconds = 3

/** Statements of a session are prepared once; those of the migrations, and others that come once, go without a name. */
type SendOptions = Omit<ConstructorParameters<typeof SessionQuery>[0], 'begin' | 'portal'> & { readonly begin?: boolean; readonly portal?: string }

/** A connection to PostgreSQL that can be watched and given up. */
export class Session extends pg.Client {
  /** Why the connection is of no use any more. */
  lost: Error | undefined
  /** Statements that were sent and not answered. */
  inFlight = 0
  /** Turns of the watchdog since the last answer, or since the first of these statements was sent. */
  ticksWaited = 0
  /** The process of the database server that serves it. */
  pid = 0
  /** Whether nobody has it checked out of the pool. */
  isIdle = false
  /** Sessions of migrations may take as long as they need. */
  isUnlimited = false

  constructor(config: pg.ClientConfig) {
    super({
      ...config,
      types,
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

  /** Prepares `begin` and sets the session up, in one round trip. */
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
    // Settings that this version of PostgreSQL does not know are left out.
    const apply = `select pg_backend_pid() as pid, (select count(set_config(known.name, given.value, false))
      from unnest($1::text[], $2::text[]) as given(name, value) join pg_settings known using (name)) as applied`
    const [, result] = await Promise.all([
      this.send({ text: 'begin', name: beginName, values: [] }),
      this.send({ text: apply, name: undefined, values: [names, names.map((name) => settings[name] as string)] }),
      this.script('commit'),
    ])
    this.pid = Number(result.rows[0].pid)
  }

  /** Some platforms and services refuse single settings: the others still hold. */
  async #applyEach(settings: Readonly<Record<string, string>>): Promise<void> {
    await this.#applyAll({})
    for (const [name, value] of Object.entries(settings)) {
      await this.send({ text: 'select set_config($1, $2, false)', name: undefined, values: [name, value] }).catch((error) => {
        if (this.lost) throw error
      })
    }
  }

  /** One statement. Statements that are sent without waiting for each other share a round trip. */
  send({ text, name, values, begin = false, portal }: SendOptions): Promise<pg.QueryResult> {
    return this.#track((settle) => {
      if (begin || portal !== undefined) this.query(new SessionQuery({ text, name, values, begin, portal }, settle))
      else void this.query({ text, values: values as unknown[], ...(name === undefined ? {} : { name }) }, settle)
    })
  }

  /** Several statements without values, as one message: the server has read all of it before it begins with the first. */
  script(text: string): Promise<pg.QueryResult | pg.QueryResult[]> {
    return this.#track((settle) => void this.query(text, settle))
  }

  #track(submit: (settle: (error: Error | undefined | null, result: pg.QueryResult) => void) => void): Promise<pg.QueryResult> {
    if (this.inFlight === 0) this.ticksWaited = 0
    this.inFlight += 1
    return new Promise((resolve, reject) => {
      submit((error, result) => {
        this.inFlight -= 1
        this.ticksWaited = 0
        if (!error) return resolve(result)
        // The reason for which the connection broke says more than that it is broken.
        reject(this.lost && unavailability(error) ? this.lost : error)
      })
    }).catch((error) => {
      // From here the trace leads to whoever sent the statement, and not to the socket.
      Error.captureStackTrace(error)
      throw error
    }) as Promise<pg.QueryResult>
  }

  /** Gives the connection up at once, with everything that waits for an answer on it. */
  abandon(why: Error): void {
    this.lost ??= why
    this.connection.stream.destroy(why)
  }
}

const names = new Map<string, string>()
const namesMax = 500

/**
 * Statements of fixed text are prepared on the server once a connection, under a name made from the text. Texts beyond the first few hundred are
 * filters that hardly come twice: they go unnamed, which keeps the server's memory bounded. So do texts that begin with a comment: by it a query
 * asks to be planned for its values each time.
 */
export function preparedStatementName(text: string): string | undefined {
  if (text.startsWith('/*')) return undefined
  const known = names.get(text)
  if (known || names.size >= namesMax) return known
  const name = `m${names.size}`
  names.set(text, name)
  return name
}
