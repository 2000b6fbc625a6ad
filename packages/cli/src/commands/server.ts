import { setTimeout as wait } from 'node:timers/promises'
import { MillraceError } from '@millrace/client/errors.ts'
import { type Flag, serverFlags } from '@millrace/server/config/flags.ts'
import { isSameProcess, type RunFile } from '@millrace/server/lib/run-file.ts'
import { type Command, Option } from 'commander'
import type { Cli } from '../cli.ts'
import { CommandError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import type { BackgroundService } from '../local-interface.ts'
import { findServer, listLocalServers, onlyLocalServer, type ServerChoice, type ServerTarget } from '../local-servers.ts'
import { parseCount, parsePositive } from '../option-values.ts'
import { ageColumn } from '../output/columns.ts'
import type { Column } from '../output/table.ts'
import { formatDuration } from '../output/time-text.ts'

const serviceColumns: readonly Column<BackgroundService>[] = [
  { title: 'SERVICE', value: ({ name }) => name },
  { title: 'ENABLED', value: ({ enabled }) => enabled, style: ({ enabled }) => (enabled ? 'green' : 'gray') },
  { title: 'EVERY', value: ({ every_seconds }) => formatDuration(every_seconds), isNumber: true },
]

const processColumns: readonly Column<RunFile>[] = [
  { title: 'URL', value: ({ url }) => url ?? '(background services)', isFixed: true },
  { title: 'PID', value: ({ pid }) => pid, isNumber: true },
  { title: 'VERSION', value: ({ version }) => version },
  { title: 'DATABASE', value: ({ database }) => database },
  ageColumn('STARTED', ({ started }) => started),
]

interface ServerStatus {
  /** URL of the API; null for a process without API. */
  readonly url: string | null
  readonly healthy: boolean | null
  readonly ready: boolean | null
  /** Why the server is not ready. */
  readonly problem: string | null
  readonly version: string | null
  readonly database: string | null
  /** Null if the server does not run on this machine. */
  readonly pid: number | null
  readonly started: string | null
}

const statusFields: readonly Column<ServerStatus>[] = [
  { title: 'URL', value: ({ url }) => url },
  { title: 'Healthy', value: ({ healthy }) => healthy, style: ({ healthy }) => (healthy ? 'green' : 'red') },
  { title: 'Ready', value: ({ ready, problem }) => (problem === null ? ready : `no: ${problem}`), style: ({ ready }) => (ready ? 'green' : 'red') },
  { title: 'Version', value: ({ version }) => version },
  { title: 'Database', value: ({ database }) => database },
  { title: 'Process', value: ({ pid }) => pid },
  { title: 'Started', value: ({ started }) => started },
]

export function serverCommands(group: Command, cli: Cli): void {
  const start = defineStart(group.command('start'), cli, Object.keys(serverFlags))
    .summary('Start a server with the dashboard')
    .description('Starts a server with the dashboard. Every setting can also be set in the environment; docs/config.md lists them.')
  withExamples(
    start,
    ['server start'],
    ['server start --port 4300 --database postgres://user@db/millrace'],
    ['server start --background', 'returns when the server is ready'],
  )

  const stop = group
    .command('stop')
    .summary('Stop a server on this machine')
    .description('Stops a server on this machine and waits for its end. Requests in flight are finished.')
    .option('--port <port>', 'port of the server, if several run', parseCount)
    .option('--pid <pid>', 'process id of the server, if several run', parsePositive)
    .option('--timeout <seconds>', 'how long to wait', parsePositive, 60)
    .action(async ({ timeout, ...choice }: ServerChoice & { timeout: number }) => {
      const { port } = choice
      const server = onlyLocalServer(cli.io, choice)
      if (!server)
        throw new CommandError(`No server of this user runs ${port === undefined ? 'on this machine' : `on port ${port}`}.`, 'serverUnreachable')
      await stopServer(server, timeout, cli.io.signal)
      await cli.output.done(`Stopped the server${server.url === null ? '' : ` at ${server.url}`} (process ${server.pid}).`, server)
    })
  withExamples(stop, ['server stop'], ['server stop --port 4300'])

  const status = group
    .command('status')
    .summary('Show whether a server runs and is ready')
    .description('Shows whether a server runs and is ready. The exit code is 24 if it does not run and 1 if it is not ready.')
    .option('--port <port>', 'port of a server on this machine', parseCount)
    .option('--pid <pid>', 'process id of a server on this machine', parsePositive)
    .action(async (choice: ServerChoice) => {
      const found = await readStatus(cli, findServer(cli, choice))
      await cli.output.item(found, statusFields)
      if (found.ready === false) cli.exitCode = 1
    })
  withExamples(status, ['server status'], ['server status --server https://millrace.example.com/api -o json'])

  const list = group
    .command('ls')
    .summary('List the servers of this user on this machine')
    .action(() => cli.output.list(listLocalServers(cli.io), processColumns, 'No servers.'))
  withExamples(list, ['server ls'])

  const services = group.command('services').summary('List and run the background services')
  const listServices = services
    .command('ls')
    .summary('List the background services of a server')
    .action(async () => {
      const { settings, version } = await cli.client.server.settings()
      const { listServices } = await import('../local/list-services.ts')
      await cli.output.list(listServices(settings as Record<string, unknown>, version), serviceColumns, 'No services.')
    })
  withExamples(listServices, ['server services ls'])
  const startServices = defineStart(services.command('start'), cli, ['--database'], ['--services-only', '--no-ui'])
    .summary('Run only the background services, without API and dashboard')
    .description(
      'Runs only the background services, as `server start --services-only` does. The API of other servers on the same PostgreSQL database can run with --no-services.',
    )
  withExamples(startServices, ['server services start --database postgres://user@db/millrace'])
}

interface StartFlags extends Record<string, string | boolean | undefined> {
  readonly background?: boolean
  readonly logFile?: string
}

/** Adds flags of the server and those of a background process. */
function defineStart(command: Command, cli: Cli, flagNames: readonly string[], fixedFlags: readonly string[] = []): Command {
  const options = flagNames.map((name) => {
    const { takes, help } = serverFlags[name] as Flag
    return new Option(takes === undefined ? name : `${name} <${takes.toLowerCase()}>`, help)
  })
  for (const option of options) command.addOption(option)
  return command
    .option('--background', 'start in the background and return when the server is ready')
    .option('--log-file <path>', 'log of a server in the background (default: next to the SQLite database, or ~/.millrace/server.log)')
    .action(async ({ background, logFile, ...given }: StartFlags) => {
      const flags = [...fixedFlags, ...options.flatMap((option) => toFlag(option, given[option.attributeName()]))]
      if (background) return (await import('../local/background-server.ts')).startInBackground(cli, flags, logFile)
      if (logFile !== undefined) throw new CommandError('--log-file needs --background: in the foreground the log goes to stdout.', 'usage')
      await (await import('../local/server-process.ts')).becomeServer(cli, flags)
    })
}

/** The flag of an option value. `--no-ui` is the value false of `ui`. */
function toFlag({ long = '', negate }: Option, value: string | boolean | undefined): string[] {
  if (typeof value === 'string') return [`${long}=${value}`]
  return value === !negate ? [long] : []
}

async function stopServer(server: RunFile, timeoutSeconds: number, signal: AbortSignal): Promise<void> {
  try {
    process.kill(server.pid, 'SIGTERM')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH') throw new CommandError(`Cannot stop process ${server.pid} (${code}).`)
  }
  for (const deadline = Date.now() + timeoutSeconds * 1000; isSameProcess(server); await wait(50, undefined, { signal })) {
    if (Date.now() > deadline)
      throw new CommandError(`Process ${server.pid} did not end within ${timeoutSeconds} seconds. \`kill -9 ${server.pid}\` ends it at once.`)
  }
}

async function readStatus(cli: Cli, { api, local }: ServerTarget): Promise<ServerStatus> {
  const facts = { pid: local?.pid ?? null, started: local?.started ?? null }
  const known = { url: api, version: local?.version ?? null, database: local?.database ?? null, ...facts }
  if (api === null) return { ...known, healthy: null, ready: null, problem: null }
  const { server } = cli.createClient({ url: api, timeoutSeconds: 5, retry: { retries: 0 } })
  const healthy = await server.isHealthy()
  const problem = await server.ready().then(() => null, messageOf)
  // The settings need credentials, health and readiness do not.
  const described = await server.settings().then(describeSettings, (error) => void messageOf(error))
  return { ...known, ...described, healthy, ready: problem === null, problem }
}

function describeSettings({ version, settings }: Record<string, unknown>): Pick<ServerStatus, 'version' | 'database'> {
  const { url } = (settings as { database: { url: string } }).database
  return { version: String(version), database: url.startsWith('sqlite:') ? 'sqlite' : 'postgres' }
}

/** The message of an error of the API. Other errors are defects. */
function messageOf(error: unknown): string {
  if (error instanceof MillraceError) return error.message
  throw error
}
