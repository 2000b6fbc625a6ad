import { ConnectionError } from '@millrace/client/errors.ts'
import { isServerFlag } from '@millrace/server/config/flags.ts'
import { version } from '@millrace/server/version.ts'
import { CommanderError, Option } from 'commander'
import { Cli, type GlobalOptions } from './cli.ts'
import { describeError } from './errors.ts'
import { exitCodes } from './exit-codes.ts'
import { commandGroups } from './groups.ts'
import type { Io } from './io.ts'
import { outputFormats } from './output/output.ts'
import { stylerFor } from './output/style.ts'
import { toSafeText } from './output/text-width.ts'
import { UsageCommand } from './usage-command.ts'

/** Global options that take a value. */
const valueOptions = new Set(['--server', '--profile', '-o', '--output'])

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

/** Builds the program with the subcommands of the groups that `wanted` names, or of all groups. */
export async function buildProgram(io: Io, wanted: readonly string[] | 'all'): Promise<{ program: UsageCommand; cli: Cli }> {
  const style = stylerFor(io.stderr, io.env)
  const program: UsageCommand = new UsageCommand('millrace')
    .description('Workflow orchestration: server, dashboard and command line. Without a command, the server starts.')
    .usage('[options] [command]')
    .version(version, '-V, --version', 'show the version')
    .option('--server <url>', 'API of the server (default: MILLRACE_API_URL, the active profile, or http://127.0.0.1:4200/api)')
    .option('--profile <name>', 'profile to use instead of the active one')
    .addOption(new Option('-o, --output <format>', 'output format').choices(outputFormats).default('table'))
    .option('--no-color', 'no colours')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: (command) => (command === program ? [] : globalOptions(program)),
      commandDescription: (command) => command.description() || `${command.summary()}.`,
    })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(toSafeText(text).replace(/^error: /, `${style('red', 'Error:')} `)),
      getOutHelpWidth: () => helpWidth(io),
      getErrHelpWidth: () => helpWidth(io),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
  const cli = new Cli(io, () => program.opts<GlobalOptions>())
  for (const { name, summary, heading, load } of commandGroups) {
    const group = program.command(name).summary(summary).description(`${summary}.`).helpGroup(`${heading}:`)
    if (wanted === 'all' || wanted.includes(name)) (await load())(group, cli)
  }
  return { program, cli }
}

/** The options of the program that every command takes. */
const globalOptions = (program: UsageCommand): Option[] => program.options.filter(({ long }) => long !== '--version')

const helpWidth = (io: Io): number => (io.stdout.isTTY ? io.stdout.columns || 80 : 100)

/** The first two words that are not options: a group and a command. */
export function firstWords(argv: readonly string[]): string[] {
  const words: string[] = []
  for (let index = 0; index < argv.length && words.length < 2; index += 1) {
    const argument = argv[index] as string
    if (valueOptions.has(argument)) index += 1
    else if (!argument.startsWith('-')) words.push(argument)
  }
  return words
}
