import type { ChildProcess } from 'node:child_process'
import { mkdirSync, readFileSync, unwatchFile, watchFile, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseEnv } from 'node:util'
import { ConfigError, readConfig } from '@millrace/server/config.ts'
import type { Cli } from '../cli.ts'
import { CommandError } from '../errors.ts'
import { toSingleLine } from '../output/text-width.ts'
import { followRunStates, formatRunState } from './run-states.ts'
import { exitCodeOf, spawnServer } from './server-process.ts'

const databaseFolder = '.millrace'
const watchIntervalMs = 300

/** A server that restarts when its file of environment variables changes. */
export class DevServer {
  readonly #cli: Cli
  readonly #flags: readonly string[]
  readonly #envFile: string
  #hasStarted = false
  /** Resolved when the file changes. */
  #change = Promise.withResolvers<'changed'>()

  constructor(cli: Cli, flags: readonly string[], envFile: string) {
    this.#cli = cli
    this.#flags = flags
    this.#envFile = resolve(envFile)
  }

  /** Runs until Ctrl-C, or until the server ends by itself. */
  async run(): Promise<void> {
    const { io } = this.#cli
    this.#cli.endsItself = true
    let variables = this.#readVariables()
    watchFile(this.#envFile, { interval: watchIntervalMs }, () => {
      const changed = this.#readVariables()
      if (JSON.stringify(changed) === JSON.stringify(variables)) return
      variables = changed
      this.#change.resolve('changed')
    })
    // The server must not outlive this process.
    const terminate = new AbortController()
    process.once('SIGTERM', () => terminate.abort())
    const end = AbortSignal.any([io.signal, terminate.signal])
    try {
      while (!end.aborted && (await this.#runOnce({ ...variables, ...io.env }, end)) === 'changed') {
        this.#change = Promise.withResolvers()
        this.#note(`${this.#envFile} changed. Restarting the server.`)
      }
    } finally {
      unwatchFile(this.#envFile)
    }
  }

  /** Runs the server until it ends or the file changes. */
  async #runOnce(env: Environment, end: AbortSignal): Promise<'changed' | 'ended'> {
    const { flags, defaults, authString } = this.#settingsFor(env)
    const child = spawnServer(this.#cli.io, flags, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...defaults, ...env } })
    const ended = exitCodeOf(child)
    const following = new AbortController()
    this.#printOutput(child, (url) => {
      this.#hasStarted = true
      this.#note(`Ctrl-C stops it. Environment variables of ${this.#envFile} are used, and a change restarts the server.`)
      void this.#printStates(url, authString, following.signal)
    })
    const outcome = await Promise.race([ended, this.#change.promise, aborted(end)])
    following.abort()
    if (typeof outcome === 'string') {
      child.kill('SIGTERM')
      await ended
      return outcome
    }
    if (end.aborted) return 'ended'
    if (!this.#hasStarted) throw new CommandError(`The server ended with exit code ${outcome}.`, outcome || 'failed')
    // A wrong value in the file: the next change may correct it.
    this.#note(`The server ended with exit code ${outcome}. Waiting for a change of ${this.#envFile}.`)
    return Promise.race([this.#change.promise, aborted(end)])
  }

  /** Flags and variables that are not given: a database in this folder, and a log of warnings only. */
  #settingsFor(env: Environment): { flags: readonly string[]; defaults: Environment; authString: string | undefined } {
    const { sources, authString } = readSources(env, this.#flags)
    const defaults = sources?.has('server.log_level') ? {} : { MILLRACE_SERVER_LOG_LEVEL: 'warn' }
    if (!sources || sources.has('database.url')) return { flags: this.#flags, defaults, authString }
    createDatabaseFolder()
    return { flags: [...this.#flags, `--database=sqlite:${databaseFolder}/dev.db`], defaults, authString }
  }

  #readVariables(): Environment {
    try {
      return parseEnv(readFileSync(this.#envFile, 'utf8'))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') this.#note(`Cannot read ${this.#envFile} (${code}).`)
      return {}
    }
  }

  #printOutput(child: ChildProcess, onReady: (url: string) => void): void {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      this.#cli.output.text(toSingleLine(readLogMessage(line) ?? line))
      const url = /^Millrace \S+ is ready at (\S+)$/.exec(line)?.[1]
      if (url !== undefined) onReady(url)
    })
  }

  async #printStates(url: string, authString: string | undefined, signal: AbortSignal): Promise<void> {
    const client = this.#cli.createClient({ url: `${url}/api`, ...(authString && { authString }) })
    try {
      for await (const event of followRunStates(client, signal)) this.#cli.output.text(formatRunState(event, this.#cli.output.style))
    } catch (error) {
      if (!signal.aborted) this.#note(`Cannot follow the states of runs: ${error instanceof Error ? error.message : error}`)
    }
  }

  #note(text: string): void {
    this.#cli.output.note(this.#cli.output.style('gray', text))
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** The settings that are given, or undefined if they are not valid: the server prints what is wrong. */
function readSources(env: Environment, flags: readonly string[]): { sources?: ReadonlyMap<string, string>; authString: string | undefined } {
  try {
    const { sources, config } = readConfig(env, flags)
    return { sources, authString: config.server.api.auth_string ?? undefined }
  } catch (error) {
    if (error instanceof ConfigError) return { authString: undefined }
    throw error
  }
}

/** The folder ignores itself, so that git does not add a database. */
function createDatabaseFolder(): void {
  try {
    mkdirSync(databaseFolder, { recursive: true, mode: 0o700 })
    writeFileSync(`${databaseFolder}/.gitignore`, '*\n', { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw new CommandError(`Cannot write to the folder ${resolve(databaseFolder)}: ${error}`)
  }
}

/** The message of a line of the server's log, which is JSON. */
function readLogMessage(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } }
    return err?.message ? `${msg}: ${err.message}` : msg
  } catch {
    return undefined
  }
}

const aborted = (signal: AbortSignal): Promise<'ended'> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve('ended')
    else signal.addEventListener('abort', () => resolve('ended'), { once: true })
  })
