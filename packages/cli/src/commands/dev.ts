import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'

interface DevFlags {
  readonly host?: string
  readonly port?: string
  readonly database?: string
  readonly ui: boolean
  readonly dotenv: string
}

export function devCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Starts a server with the dashboard for development, and prints the states of runs as they change. The database is .millrace/dev.db in the current folder. The server restarts when the .env file changes. Variables of the environment override those of the file.',
    )
    .option('--host <address>', 'address to listen on (127.0.0.1)')
    .option('--port <port>', 'port to listen on (4200)')
    .option('--database <url>', 'another database')
    .option('--no-ui', 'without the dashboard and the documentation')
    // Node takes --env-file for itself, also after the name of a script.
    .option('--dotenv <path>', 'file with environment variables', '.env')
    .action(async ({ host, port, database, ui, dotenv }: DevFlags) => {
      const given = Object.entries({ host, port, database }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]))
      const { DevServer } = await import('../local/dev-server.ts')
      await new DevServer(cli, [...given, ...(ui ? [] : ['--no-ui'])], dotenv).run()
    })
  withExamples(command, ['dev'], ['dev --port 4300 --database sqlite::memory:', 'a new database each time'], ['dev --dotenv staging.env'])
}
