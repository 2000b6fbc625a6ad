import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Cli } from '../cli.ts'
import { CommandError } from '../errors.ts'
import type { Io } from '../io.ts'

/** With the V8 flags of the script, which would otherwise start Node once more. */
const repositoryCommand = [
  process.execPath,
  '--max-semi-space-size=8',
  '--heap-growing-percent=50',
  fileURLToPath(new URL('../../../../scripts/start.mjs', import.meta.url)),
] as const

/** Settings of the allocator for servers, as in the launcher of the package (ADR 0059). */
const allocatorSettings = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '131072' } as const

function commandLine({ serverCommand = repositoryCommand }: Io, flags: readonly string[]): [program: string, args: string[]] {
  const [program = process.execPath, ...args] = serverCommand
  return [program, [...args, ...flags]]
}

interface SpawnOptions {
  readonly stdio: StdioOptions
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The server outlives this process. */
  readonly detached?: boolean
}

/** Starts a server in a process of its own. */
export function spawnServer(io: Io, flags: readonly string[], { env = io.env, ...options }: SpawnOptions): ChildProcess {
  const [program, args] = commandLine(io, flags)
  return spawn(program, args, { ...options, env: serverVariables(env) })
}

/** Replaces this process by the server: process id, files and signals stay. Windows cannot do that, so there the server is a child. */
export async function becomeServer(cli: Cli, flags: readonly string[]): Promise<void> {
  const [program, args] = commandLine(cli.io, flags)
  if (process.platform !== 'win32' && process.execve) process.execve(program, [program, ...args], serverVariables(cli.io.env))
  cli.endsItself = true
  const child = spawnServer(cli.io, flags, { stdio: 'inherit' })
  // A terminal signals both processes. This one waits for the server.
  process.on('SIGINT', () => undefined)
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  cli.exitCode = await exitCodeOf(child)
}

/** The settings of the user win. */
function serverVariables(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries({ ...allocatorSettings, ...env }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** Waits for the end of a process. */
export function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new CommandError(`Cannot start the server: ${error.message}`)))
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
}
