import type { Io } from './io.ts'
import { run } from './program.ts'

/** Runs the command line of this process. */
export async function main(argv: readonly string[]): Promise<void> {
  const interrupt = new AbortController()
  process.once('SIGINT', () => interrupt.abort())
  // A reader such as `head` may close the pipe early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  const io: Io = { stdout: process.stdout, stderr: process.stderr, stdin: process.stdin, env: process.env, signal: interrupt.signal }
  process.exitCode = await run(argv, io)
}
