import { StartupError } from '@millrace/server/lib/startup-error.ts'
import { version } from '@millrace/server/version.ts'
import { UsageError } from './arguments.ts'

/** All commands. Each is loaded when it runs, since most of them load the whole server. */
const commands: Readonly<Record<string, { readonly usage: string; readonly help: string; load(): Promise<Command> }>> = {
  adopt: {
    usage: 'adopt SOURCE [--database URL] [--old-key-file FILE] [--resume]',
    help: 'copy the database of a Prefect 3 server: a SQLite file or a postgres:// URL',
    load: async () => (await import('./adopt-command.ts')).adoptCommand,
  },
  'retention include-adopted': {
    usage: 'retention include-adopted [--database URL]',
    help: 'apply retention to adopted data too',
    load: async () => (await import('./retention-command.ts')).includeAdopted,
  },
  'secrets rotate': {
    usage: 'secrets rotate [--database URL] [--new-key-file FILE]',
    help: 're-encrypt the secrets of blocks with a new key',
    load: async () => (await import('./secrets-command.ts')).rotateSecrets,
  },
}

/** Returns the exit code. */
type Command = (argv: readonly string[]) => Promise<number>

export async function run(argv: readonly string[]): Promise<number> {
  if (argv.length === 0 || argv[0] === '--help' || argv[0] === 'help') return print(usage())
  if (argv[0] === '--version') return print(version)
  for (const wordCount of [2, 1]) {
    const name = argv.slice(0, wordCount).join(' ')
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (!command) continue
    if (argv.includes('--help')) return print(`Usage: millrace ${command.usage}\n\n${command.help}`)
    return runCommand(await command.load(), argv.slice(wordCount), command.usage)
  }
  console.error(`Unknown command: ${argv.slice(0, 2).join(' ')}\n\n${usage()}`)
  return 2
}

async function runCommand(command: Command, argv: readonly string[], usage: string): Promise<number> {
  try {
    return await command(argv)
  } catch (error) {
    if (error instanceof StartupError) {
      console.error(error.message)
      return error.exitCode
    }
    if (!(error instanceof UsageError)) throw error
    console.error(`${error.message}\nUsage: millrace ${usage}`)
    return 2
  }
}

function print(text: string): number {
  console.log(text)
  return 0
}

function usage(): string {
  const rows = [
    ['server start [flags]', 'start the server (flags: millrace server start --help)'],
    ...Object.values(commands).map(({ usage, help }) => [usage, help]),
  ]
  return ['Usage: millrace COMMAND', '', ...rows.map(([left, right]) => `  ${left}\n      ${right}`)].join('\n')
}
