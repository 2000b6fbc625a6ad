import { createWriteStream, mkdtempSync, rmSync, type WriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, buildApp } from '../../packages/server/src/app.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { type Random, seededRandom } from '../../packages/server/src/lib/random.ts'
import { type Postgres, startPostgres } from '../../packages/server/test/postgres/launcher.ts'
import { type ServerProcess, startServerProcess } from '../../packages/server/test/server-process.ts'

export type DatabaseName = 'sqlite' | 'postgres'

export interface ProofSize {
  readonly amount: number
  readonly unit: string
}

export interface ProofRunOptions {
  readonly database: DatabaseName | 'none'
  readonly size: number
  readonly seed: number
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

export interface StartOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** A fixed port, for a server that is started again at the same address. */
  readonly port?: number
}

/** What one run of a proof uses: its size and randomness, a folder for evidence, databases and servers. All of it ends with `close`. */
export class ProofRun {
  readonly database: DatabaseName | 'none'
  readonly size: number
  readonly seed: number
  readonly random: Random
  readonly signal: AbortSignal
  /** Logs, records of requests and SQLite files. Removed when the proof passes. */
  readonly folder: string
  /** What was really done, such as `200 kills`. A proof may refine it. */
  amountText: string
  readonly #log: (line: string) => void
  readonly #cleanups: (() => unknown)[] = []
  readonly #streams = new Map<string, WriteStream>()
  readonly #fullAmount: number
  #servers = 0
  #isClosed = false
  #postgres: Promise<Postgres> | undefined

  constructor(id: string, full: ProofSize, options: ProofRunOptions) {
    this.database = options.database
    this.size = options.size
    this.seed = options.seed
    this.random = seededRandom(options.seed)
    this.signal = options.signal
    this.#log = options.log
    this.#fullAmount = full.amount
    this.folder = mkdtempSync(join(tmpdir(), `millrace-proof-${id.toLowerCase()}-`))
    this.amountText = `${this.amount.toLocaleString('en')} ${full.unit}`
  }

  /** The full amount at this size, at least 1. */
  get amount(): number {
    return this.scaled(this.#fullAmount)
  }

  scaled(full: number, least = 1): number {
    return Math.max(least, Math.round(full * this.size))
  }

  between(low: number, high: number): number {
    return low + this.random.next() * (high - low)
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random.next() * list.length)] as T
  }

  log(line: string): void {
    this.record('proof.log', `${new Date().toISOString()} ${line}`)
    this.#log(line)
  }

  /** Appends a line to a file of the evidence. */
  record(file: string, line: string | object): void {
    // Output of a killed process may arrive after its end.
    if (this.#isClosed) return
    let stream = this.#streams.get(file)
    if (!stream) {
      stream = createWriteStream(join(this.folder, file), { flags: 'a' })
      this.#streams.set(file, stream)
    }
    stream.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
  }

  /** Called in reverse order at the end. */
  defer(cleanUp: () => unknown): void {
    this.#cleanups.push(cleanUp)
  }

  /** Throws when the user interrupts the proof. */
  checkInterrupted(): void {
    this.signal.throwIfAborted()
  }

  /** With fsync, as in production. One for each run of a proof, because some proofs restart it. */
  postgres(settings: Record<string, string> = {}): Promise<Postgres> {
    if (!this.#postgres) {
      this.#postgres = startPostgres({ durable: true, settings })
      this.defer(async () => (await this.#postgres)?.stop())
    }
    return this.#postgres
  }

  /** The URL of a new database of the kind that this run is for. */
  async newDatabase(name = 'proof'): Promise<string> {
    return this.database === 'sqlite' ? `sqlite:${join(this.folder, `${name}.db`)}` : (await this.postgres()).createDatabase(name)
  }

  /** Starts a server whose log goes to the evidence. It is killed at the end of the run. */
  async startServer(databaseUrl: string, { args = [], env = {}, port }: StartOptions = {}): Promise<ServerProcess> {
    this.#servers += 1
    const file = `server-${this.#servers}.log`
    const server = await startServerProcess(
      databaseUrl,
      [...args, ...(port === undefined ? [] : ['--port', String(port)])],
      { MILLRACE_SERVER_LOG_LEVEL: 'warn', ...env },
      (text) => this.record(file, text.trimEnd()),
    )
    server.child.stdout?.on('data', (piece: Buffer) => this.record(file, piece.toString().trimEnd()))
    this.defer(() => {
      server.child.kill('SIGCONT')
      return server.kill('SIGKILL')
    })
    return server
  }

  /** Opens the database beside the servers, or after them on SQLite, to check what it contains. */
  async openDatabase(databaseUrl: string): Promise<App> {
    const app = await buildApp({ config: readConfig({ MILLRACE_DATABASE_URL: databaseUrl, MILLRACE_DATABASE_POOL_SIZE: '4' }, []).config })
    let open = true
    const close = async () => {
      if (open) await app.close()
      open = false
    }
    this.defer(close)
    return { ...app, close }
  }

  async close(keepsEvidence: boolean): Promise<void> {
    for (const cleanUp of this.#cleanups.splice(0).reverse()) {
      try {
        await cleanUp()
      } catch (error) {
        this.#log(`clean-up: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    this.#isClosed = true
    await Promise.all([...this.#streams.values()].map((stream) => new Promise((resolve) => stream.end(resolve))))
    if (!keepsEvidence) rmSync(this.folder, { recursive: true, force: true })
  }
}
