import { version } from '@millrace/server/version.ts'
import { Option } from 'commander'
import { Cli, type GlobalOptions } from './cli.ts'
import { commandGroups } from './groups.ts'
import type { Io } from './io.ts'
import { outputFormats } from './output/output.ts'
import { stylerFor } from './output/style.ts'
import { toSafeText } from './output/text-width.ts'
import { UsageCommand } from './usage-command.ts'

/** Global options that take a value. */
const valueOptions = new Set(['--server', '--profile', '-o', '--output'])

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
