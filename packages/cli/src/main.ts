import module from 'node:module'
import { version } from '@millrace/server/version.ts'
import type { Io } from './io.ts'

/**
 * Runs the command line of this process. `serverCommand` is the program, with its first arguments, that starts a server; by default that of the
 * repository.
 */
export async function main(argv: readonly string[], serverCommand?: readonly string[]): Promise<void> {
  // Before the rest is loaded, which takes longer than Node itself.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${version}\n`)
    return
  }
  const interrupt = new AbortController()
  // A second Ctrl-C ends the process at once.
  process.once('SIGINT', () => interrupt.abort())
  for (const stream of [process.stdout, process.stderr]) stream.on('error', exitOnClosedPipe)
  const { run } = await import('./program.ts')
  const { stdout, stderr, stdin, env } = process
  const io: Io = { stdout, stderr, stdin, env, signal: interrupt.signal, ...(serverCommand && { serverCommand }) }
  const exitCode = await run(argv, io)
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  module.flushCompileCache()
  // An explicit exit skips the cleanup of V8, which takes 50 ms, and whatever an interrupted command was waiting for.
  process.exit(exitCode)
}

/** Resolves when a stream has passed on what was written to it. */
const flushed = (stream: NodeJS.WriteStream): Promise<void> => new Promise((resolve) => stream.write('', () => resolve()))

/** A reader such as `head` may close the pipe early. */
function exitOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
}
