import { ConnectionError } from '@millrace/client/errors.ts'
import { isServerFlag } from '@millrace/server/config/flags.ts'
import { CommanderError } from 'commander'
import { buildProgram, firstWords } from './build-program.ts'
import type { Cli } from './cli.ts'
import { describeError } from './errors.ts'
import { exitCodes } from './exit-codes.ts'
import type { Io } from './io.ts'
import { stylerFor } from './output/style.ts'
import { toSafeText } from './output/text-width.ts'

/** Runs a command line (without `node` and the script) and returns the exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  if (argv[0] === '__complete') return printCandidates(argv.slice(1), io)
  const args = expandArguments(argv)
  const { program, cli } = await buildProgram(io, firstWords(args))
  try {
    await Promise.race([program.parseAsync(args, { from: 'user' }), interrupted(cli)])
    return io.signal.aborted && !cli.isEndedByInterrupt ? exitCodes.interrupted : cli.exitCode
  } catch (error) {
    if (io.signal.aborted) return cli.isEndedByInterrupt ? cli.exitCode : exitCodes.interrupted
    // Commander has printed its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    return printError(error, cli)
  }
}

/** For the scripts of `millrace completion`. */
async function printCandidates(words: readonly string[], io: Io): Promise<number> {
  const { completeWords } = await import('./complete-words.ts')
  for (const line of await completeWords(words, io)) io.stdout.write(`${line}\n`)
  return exitCodes.done
}

/** How long a command may take to end after Ctrl-C. A request in flight may change something, so it is not aborted at once. */
const interruptGraceMs = 500

/** Resolves some time after Ctrl-C, unless the command ends by itself. */
function interrupted(cli: Cli): Promise<void> {
  return new Promise((resolve) => {
    const onAbort = () => setTimeout(() => !cli.endsItself && resolve(), interruptGraceMs).unref()
    cli.io.signal.addEventListener('abort', onAbort, { once: true })
  })
}

/** Prints the message of an error. The stack is for developers. */
async function printError(error: unknown, cli: Cli): Promise<number> {
  const { io } = cli
  const { message, exitCode, hasHeading } = describeError(error, cli.connectionUrl)
  const heading = hasHeading ? `${stylerFor(io.stderr, io.env)('red', 'Error:')} ` : ''
  io.stderr.write(`${heading}${toSafeText(message)}\n`)
  if (error instanceof ConnectionError && cli.connection.source === 'default') {
    const { listLocalServers } = await import('./local-servers.ts')
    for (const { url } of listLocalServers(io)) if (url !== null) io.stderr.write(`A server of yours runs at ${url}.\n`)
  }
  if (io.env.MILLRACE_DEBUG && error instanceof Error) io.stderr.write(`${toSafeText(error.stack ?? '')}\n`)
  return exitCode
}

/** Without a command the server starts, with the flags of `server start`. `help NOUN VERB` and `NOUN help VERB` are `NOUN VERB --help`. */
export function expandArguments(argv: readonly string[]): string[] {
  const [first, second] = argv
  if (first === undefined || isServerFlag(first)) return ['server', 'start', ...argv]
  if (first !== 'help' && second !== 'help') return [...argv]
  return [...argv.toSpliced(first === 'help' ? 0 : 1, 1), '--help']
}
