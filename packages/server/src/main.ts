import { availableParallelism, homedir } from 'node:os'
import { inspect } from 'node:util'
import { type App, buildApp, migrateDatabase } from './app.ts'
import { backupProblem } from './config/backups.ts'
import { databaseUrlProblems } from './config/database-url.ts'
import { exposureProblem, exposureWarnings } from './config/exposure.ts'
import { usage } from './config/flags.ts'
import { countProcesses, processesProblem } from './config/processes.ts'
import { type Config, ConfigError, readProcessConfig } from './config.ts'
import { readiness } from './domains/admin/readiness.ts'
import { removeRunFile, writeRunFile } from './lib/run-file.ts'
import { errorCode, exitCodes, StartupError } from './lib/startup-error.ts'
import { addSeconds, afterSeconds, formatTime, type Micros, machineClock } from './lib/time.ts'
import { GroupMetrics } from './metrics/group-metrics.ts'
import { type GroupMessage, groupMember, runProcessGroup, sendToPrimary } from './process-group.ts'
import { loggerOptions, logLevelsProblem } from './telemetry/logger.ts'
import { createTelemetry } from './telemetry/telemetry.ts'
import { version } from './version.ts'

/** Time limit for pending writes and closing the database, after the grace period of requests. */
const closeTimeoutSeconds = 5

/** One Ctrl-C arrives twice: the terminal signals every process of the group, and npm forwards its signal. */
const duplicateSignalSeconds = 1

/** Reads the settings, starts the server, and shuts it down on a signal. `command` is the command line that the help shows. */
export async function main(argv: readonly string[], command = 'npm start --'): Promise<void> {
  const { config, warnings, request } = readOrExit(argv)
  if (request === 'version') return console.log(version)
  if (request === 'help') return console.log(usage(command))

  const processes = countProcesses(config, availableParallelism())
  const member = groupMember()
  if (processes > 1 && !member) return startProcesses(config, processes)

  const app = await start(config, processes).catch((error) => exitWith(error, config))
  // The first process of a group logs them for all.
  if (member && member.id > 1) return
  for (const warning of [...warnings, ...exposureWarnings(config), ...app.warnings]) app.server.log.warn(warning)
}

/** Several processes that share the port. This one checks and migrates the database, starts the others and replaces those that die. */
async function startProcesses(config: Config, count: number): Promise<void> {
  try {
    if (config.database.migrate_on_start) await migrateDatabase({ config, onWait: (message) => console.error(message) })
  } catch (error) {
    await exitWith(error, config)
  }
  runProcessGroup({ count, duplicateSignalSeconds, config, onReady: (address) => announce(config, address) })
}

async function start(config: Config, processes: number): Promise<App> {
  const { host, port, api } = config.server
  let warn = (message: string) => console.error(message)
  const telemetry = createTelemetry(config, (message) => warn(message))
  const output = { isTerminal: process.stdout.isTTY === true, write: (text: string) => void process.stdout.write(text) }
  const app = await buildApp({
    config,
    processes,
    logger: loggerOptions(config, telemetry, output),
    telemetry,
    lockHolderName: lockHolderName(config),
    onWait: (message) => console.error(message),
  })
  warn = (message) => app.server.log.warn(message)
  // Before the ready message: a supervisor may send a signal right after it.
  shutDownOnSignal(app, config.server.shutdown_grace_seconds)
  let address: string | null = null
  if (api.enabled) {
    address = await listen(app, host, port).catch(async (error) => {
      await app.close()
      throw explainListenError(error, host, port) ?? error
    })
  }
  if (groupMember()) joinGroup(app, address)
  else announce(config, address)
  if (config.services.enabled) app.startServices()
  return app
}

/** Reports to the primary, which announces all processes together. */
function joinGroup(app: App, address: string | null): void {
  const state = readiness(app.context)
  const metrics = new GroupMetrics(
    (message) => void sendToPrimary(message),
    () => app.metrics.snapshot(),
  )
  state.onCheck = () => void sendToPrimary({ kind: 'checked' })
  app.otherProcesses.ask = () => metrics.ask()
  process.on('message', (message: GroupMessage) => {
    if (message.kind === 'checked') state.recordCheck()
    else if (message.kind === 'metrics-wanted' || message.kind === 'metrics-asked' || message.kind === 'metrics') metrics.receive(message)
  })
  void sendToPrimary({ kind: 'ready', address })
}

/** Prints the ready line, and lets `millrace server status` and `server stop` find this process until it ends. */
function announce({ server, database }: Config, address: string | null): void {
  const path = writeRunFile(homedir(), {
    url: address === null ? null : `${address}${server.base_path}`,
    version,
    started: formatTime(machineClock().wall()),
    database: database.url.startsWith('sqlite:') ? 'sqlite' : 'postgres',
  })
  if (path !== undefined) process.on('exit', () => removeRunFile(path))
  console.log(address === null ? `Millrace ${version} runs its background services` : `Millrace ${version} is ready at ${address}`)
}

function lockHolderName({ server: { api, host, port } }: Config): string {
  if (!api.enabled) return 'a server with --services-only'
  return port === 0 ? 'another server' : `the server at ${addressText(host, port)}`
}

/** Prints only the message of a `StartupError`, and its stack at log level debug or trace. */
async function exitWith(error: unknown, { server: { log_level } }: Config): Promise<never> {
  const isExplained = error instanceof StartupError
  const isVerbose = log_level === 'debug' || log_level === 'trace'
  const exitCode = isExplained ? error.exitCode : exitCodes.failed
  const text = isExplained && !isVerbose ? error.message : `${isExplained ? '' : 'Millrace could not start: '}${inspect(error)}`
  // All processes of a group fail alike. The primary prints the first error only.
  if (groupMember()) await sendToPrimary({ kind: 'failed', text, exitCode })
  else console.error(text)
  process.exit(exitCode)
}

/** Fastify also logs each address. The ready message is the one line that a user needs. */
async function listen({ server }: App, host: string, port: number): Promise<string> {
  const { level } = server.log
  server.log.level = 'warn'
  try {
    return await server.listen({ host, port })
  } finally {
    server.log.level = level
  }
}

/** The first signal waits for requests in flight, a second one exits at once. SIGINT skips the delay for load balancers. */
function shutDownOnSignal(app: App, graceSeconds: number): void {
  const { monotonic } = machineClock()
  let signalledAt: Micros | undefined
  const shutDown = async (signal: NodeJS.Signals) => {
    if (signalledAt !== undefined) {
      if (monotonic() > addSeconds(signalledAt, duplicateSignalSeconds)) process.exit(exitCodes.failed)
      return
    }
    signalledAt = monotonic()
    if (signal === 'SIGTERM') await app.drain()
    afterSeconds(graceSeconds + closeTimeoutSeconds, () => {
      console.error(`Pending writes did not finish within ${closeTimeoutSeconds} seconds. Exiting.`)
      process.exit(exitCodes.failed)
    })
    await app.close()
    process.exit(exitCodes.ended)
  }
  const shutDownOrFail = (signal: NodeJS.Signals): void => {
    shutDown(signal).catch((error) => {
      console.error(error)
      process.exit(exitCodes.failed)
    })
  }
  process.on('SIGTERM', shutDownOrFail)
  process.on('SIGINT', shutDownOrFail)
}

function readOrExit(argv: readonly string[]): ReturnType<typeof readProcessConfig> {
  try {
    const reading = readProcessConfig(argv)
    const problems =
      reading.request === 'serve'
        ? [
            exposureProblem(reading.config),
            processesProblem(reading.config),
            logLevelsProblem(reading.config),
            backupProblem(reading.config),
            ...databaseUrlProblems(reading.config.database),
          ]
        : []
    const found = problems.filter((problem) => problem !== undefined)
    if (found.length > 0) throw new ConfigError(found)
    return reading
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) console.error(problem)
    process.exit(exitCodes.settings)
  }
}

/** Explains why the server cannot listen on an address. Returns undefined for other errors. */
export function explainListenError(error: unknown, host: string, port: number): StartupError | undefined {
  const listenError = (message: string) => new StartupError('cannotListen', message, error)
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return listenError(`Port ${port} on ${host} is in use by another program. Stop that program, or choose another port with --port.`)
    case 'EADDRNOTAVAIL':
      return listenError(`This machine has no address ${host}. Choose another one with --host, such as 127.0.0.1.`)
    case 'EACCES':
    case 'EPERM':
      return listenError(`This user may not listen on port ${port}. Choose a port above 1023 with --port.`)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
    case 'EINVAL':
      return listenError(`The host ${host} has no address (${errorCode(error)}). Correct --host, or use 127.0.0.1.`)
    default:
      return undefined
  }
}

/** `http://[::1]:4200` */
const addressText = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`
