import { version } from '@millrace/server/version.ts'
import { Command, CommanderError, Option } from 'commander'
import { Cli, type GlobalOptions } from './cli.ts'
import { describeClientError } from './errors.ts'
import { exitCodes } from './exit-codes.ts'
import { commandGroups } from './groups.ts'
import type { Io } from './io.ts'
import { outputFormats } from './output/output.ts'
import { stylerFor } from './output/style.ts'

/** Global options that take a value. */
const valueOptions = new Set(['--server', '--profile', '-o', '--output'])

/** Runs a command line (without `node` and the script) and returns the exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const { program, cli } = await buildProgram(io, firstWords(argv))
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return cli.exitCode
  } catch (error) {
    if (io.signal.aborted) return exitCodes.interrupted
    // Commander has printed its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    const known = describeClientError(error, connectionUrl(cli))
    if (!known) throw error
    io.stderr.write(`${stylerFor(io.stderr, io.env)('red', 'Error:')} ${known.message}\n`)
    return known.exitCode
  }
}

/** Builds the program with the subcommands of the groups that `wanted` names, or of all groups. */
export async function buildProgram(io: Io, wanted: readonly string[] | 'all'): Promise<{ program: Command; cli: Cli }> {
  const program = new Command('millrace')
    .description('Workflow orchestration: server, dashboard and command line.')
    .version(version, '-V, --version', 'show the version')
    .option('--server <url>', 'API of the server (default: MILLRACE_API_URL, the active profile, or http://127.0.0.1:4200/api)')
    .option('--profile <name>', 'profile to use instead of the active one')
    .addOption(new Option('-o, --output <format>', 'output format').choices(outputFormats).default('table'))
    .option('--no-color', 'no colours')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show the help of a command')
    .showHelpAfterError('Add --help for the usage.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text), getOutHelpWidth: () => helpWidth(io) })
  const cli = new Cli(io, () => program.opts<GlobalOptions>())
  for (const { name, summary, heading, load } of commandGroups) {
    const group = program.command(name).summary(summary).description(`${summary}.`).helpGroup(`${heading}:`).copyInheritedSettings(program)
    if (wanted === 'all' || wanted.includes(name)) (await load())(group, cli)
  }
  return { program, cli }
}

const helpWidth = (io: Io): number => (io.stdout.isTTY ? io.stdout.columns || 80 : 100)

/** The first two words that are not options: a group, or `help` and a group. */
function firstWords(argv: readonly string[]): string[] {
  const words: string[] = []
  for (let index = 0; index < argv.length && words.length < 2; index += 1) {
    const argument = argv[index] as string
    if (valueOptions.has(argument)) index += 1
    else if (!argument.startsWith('-')) words.push(argument)
  }
  return words
}

function connectionUrl(cli: Cli): string {
  try {
    return cli.connection.url
  } catch {
    return ''
  }
}
