import { closeSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { databaseTarget } from '@millrace/server/config/database-url.ts'
import { type Config, ConfigError, readConfig } from '@millrace/server/config.ts'
import { version } from '@millrace/server/version.ts'
import type { Cli } from '../cli.ts'
import { CommandError, UsageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { exitCodeOf, spawnServer } from './server-process.ts'

const pollMs = 50
const noteAfterMs = 5000

/** The line that the server prints when it is ready. The address is missing with --services-only. */
const readyLine = /^Millrace \S+ (?:is ready at (\S+)|runs its background services)$/m

/** Starts a server that outlives this process, and waits until it is ready. */
export async function startInBackground(cli: Cli, flags: readonly string[], logFile: string | undefined): Promise<void> {
  const { io } = cli
  const path = logFile === undefined ? defaultLogFile(readSettings(io, flags), io) : resolve(logFile)
  const log = openLog(path)
  try {
    const child = spawnServer(io, flags, { stdio: ['ignore', log.file, log.file], detached: true })
    let exitCode: number | undefined
    const ended = exitCodeOf(child).then((code) => {
      exitCode = code
    })
    child.unref()
    const startedMs = Date.now()
    let isNoted = false
    for (;;) {
      const ready = readyLine.exec(log.read())
      if (ready) {
        const url = ready[1] ?? null
        const started = url === null ? 'runs its background services' : `is ready at ${url}`
        return await cli.output.done(`Millrace ${version} ${started} (process ${child.pid}).\nLog: ${path}`, {
          pid: child.pid,
          url,
          version,
          log_file: path,
        })
      }
      if (exitCode !== undefined) throw new CommandError(`The server ended. Its log ${path} says:\n${log.read().trim()}`, exitCode || 'failed')
      if (io.signal.aborted) return void child.kill('SIGTERM')
      if (!isNoted && Date.now() - startedMs > noteAfterMs) {
        isNoted = true
        cli.output.note(`Waiting for the server. Its log is ${path}.`)
      }
      await Promise.race([ended, wait(pollMs)])
    }
  } finally {
    closeSync(log.file)
  }
}

/** Checks the settings before a process starts, so that errors appear here and not in the log only. */
function readSettings({ env }: Io, flags: readonly string[]): Config {
  try {
    return readConfig(env, flags).config
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.problems.join('\n'))
    throw error
  }
}

function defaultLogFile({ database }: Config, { env }: Io): string {
  const target = databaseTarget(database.url)
  if (target.dialect === 'sqlite' && target.path !== ':memory:') return `${resolve(target.path).replace(/\.db$/, '')}.log`
  return join(env.HOME || homedir(), '.millrace', 'server.log')
}

interface Log {
  readonly file: number
  /** The text since this server started. */
  read(): string
}

function openLog(path: string): Log {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const file = openSync(path, 'a+', 0o600)
    const offset = fstatSync(file).size
    return {
      file,
      read() {
        const buffer = Buffer.alloc(fstatSync(file).size - offset)
        readSync(file, buffer, 0, buffer.length, offset)
        return buffer.toString()
      },
    }
  } catch (error) {
    throw new CommandError(`Cannot write the log ${path} (${(error as NodeJS.ErrnoException).code}). Name another file with --log-file.`)
  }
}
