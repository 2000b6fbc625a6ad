import { MillraceClient } from '@millrace/client/client.ts'
import type { ClientOptions } from '@millrace/client/http.ts'
import { type Connection, resolveConnection } from './connection.ts'
import { CommandError, UsageError } from './errors.ts'
import type { Io } from './io.ts'
import { lightFetch } from './light-fetch.ts'
import { Output, type OutputFormat } from './output/output.ts'
import { Progress, type ProgressOptions } from './output/progress.ts'
import { toSingleLine } from './output/text-width.ts'

export interface GlobalOptions {
  readonly server?: string
  readonly profile?: string
  readonly output: OutputFormat
  readonly color: boolean
}

/** A command is used by a person or a script that waits for it: few retries. */
const retryPolicy = { retries: 2, delaySeconds: 0.2, delaySecondsMax: 2 }

/** What a command works with: the client of the chosen server, the output, and questions to the user. */
export class Cli {
  readonly io: Io
  /** Set by a command that ends normally with another code, such as a watched run that failed. */
  exitCode = 0
  /** Set by a command that needs time to end after Ctrl-C, such as one that stops a server or finishes a batch. */
  endsItself = false
  /** Set by a command that Ctrl-C ends as intended, such as one that follows events. */
  isEndedByInterrupt = false
  readonly #options: () => GlobalOptions
  #connection: Connection | undefined
  #client: MillraceClient | undefined
  #output: Output | undefined

  constructor(io: Io, options: () => GlobalOptions) {
    this.io = io
    this.#options = options
  }

  get connection(): Connection {
    this.#connection ??= resolveConnection(this.#options(), this.io.env)
    return this.#connection
  }

  get client(): MillraceClient {
    this.#client ??= this.createClient()
    return this.#client
  }

  createClient(options: Partial<ClientOptions> = {}): MillraceClient {
    const { url, authString, key } = this.connection
    return new MillraceClient({ url, authString, key, retry: retryPolicy, fetch: lightFetch, ...options })
  }

  /** The URL for messages. Empty if the connection itself is not valid. */
  get connectionUrl(): string {
    try {
      return this.connection.url
    } catch {
      return ''
    }
  }

  get output(): Output {
    const { output, color } = this.#options()
    this.#output ??= new Output(this.io, output, color)
    return this.#output
  }

  /** Shows the progress of long work on stderr. */
  progress(options: ProgressOptions): Progress {
    return new Progress(this.io.stderr, options)
  }

  /** Asks before something that cannot be undone. */
  async confirm(question: string, isConfirmed: boolean | undefined): Promise<void> {
    if (isConfirmed) return
    const asked = toSingleLine(question)
    if (!this.io.stdin.isTTY || !this.io.stderr.isTTY) throw new UsageError(`${asked} Confirm with --yes: there is no terminal to ask.`)
    const { askLine } = await import('./ask-line.ts')
    const answer = await askLine(this.io, `${asked} [y/N] `)
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was changed.')
  }
}
