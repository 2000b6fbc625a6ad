import { type App, buildApp } from './app.ts'
import { exposureProblem, exposureWarnings } from './config/exposure.ts'
import { usage } from './config/flags.ts'
import { type Config, ConfigError, readProcessConfig } from './config.ts'
import { errorCode, exitCodes, StartupError } from './lib/startup-error.ts'
import { addSeconds, afterSeconds, type Micros, machineClock } from './lib/time.ts'
import { version } from './version.ts'

/** What is left to do after the grace of requests takes no longer than this: writes, and the closing of the database. */
const closeTimeoutSeconds = 5

/** Terminals signal every process of a group and npm passes on what it gets, so that one Ctrl-C arrives twice. */
const duplicateSignalSeconds = 1

/** Reads the settings, starts the server, and ends it in order when told to. */
export async function main(argv: readonly string[]): Promise<void> {
  const { config, warnings, request } = readOrExit(argv)
  if (request === 'version') return console.log(version)
  if (request === 'help') return console.log(usage('npm start --'))

  const app = await start(config).catch((error) => exitWith(error, config))
  for (const warning of [...warnings, ...exposureWarnings(config), ...app.warnings]) app.server.log.warn(warning)
}

async function start(config: Config): Promise<App> {
  const { host, port, log_level: level, api } = config.server
  const app = await buildApp({
    config,
    logger: { level },
    lockHolderName: lockHolderName(config),
    onWait: (message) => console.error(message),
  })
  // Before anybody is told that the server is there: whoever hears it may end it at once.
  shutDownOnSignal(app, config.server.shutdown_grace_seconds)
  if (api.enabled) {
    const address = await app.server.listen({ host, port }).catch(async (error) => {
      await app.close()
      throw explainListenError(error, host, port) ?? error
    })
    console.log(`Millrace ${version} is ready at ${address}`)
  } else console.log(`Millrace ${version} runs its background services`)
  if (config.services.enabled) app.startServices()
  return app
}

function lockHolderName({ server: { api, host, port } }: Config): string {
  if (!api.enabled) return 'a server with --services-only'
  return port === 0 ? 'another server' : `the server at ${addressText(host, port)}`
}

/** What a person can fix is one or two sentences; its details are for whoever asks for them with the log level. */
function exitWith(error: unknown, { server: { log_level } }: Config): never {
  if (!(error instanceof StartupError)) {
    console.error('Millrace could not start:', error)
    process.exit(exitCodes.failed)
  }
  console.error(log_level === 'debug' || log_level === 'trace' ? error : error.message)
  process.exit(error.exitCode)
}

/** The first signal lets requests in flight come to their end; another one ends at once. SIGINT comes from a person, who need not wait for a balancer. */
function shutDownOnSignal(app: App, graceSeconds: number): void {
  const { monotonic: steady } = machineClock()
  let endedAt: Micros | undefined
  const end = async (signal: NodeJS.Signals) => {
    if (endedAt !== undefined) {
      if (steady() > addSeconds(endedAt, duplicateSignalSeconds)) process.exit(exitCodes.failed)
      return
    }
    endedAt = steady()
    if (signal === 'SIGTERM') await app.drain()
    afterSeconds(graceSeconds + closeTimeoutSeconds, () => {
      console.error(`Writes were still under way ${closeTimeoutSeconds} seconds after the last request. Ending all the same.`)
      process.exit(exitCodes.failed)
    })
    await app.close()
    process.exit(exitCodes.ended)
  }
  const endOrFail = (signal: NodeJS.Signals): void => {
    end(signal).catch((error) => {
      console.error(error)
      process.exit(exitCodes.failed)
    })
  }
  process.on('SIGTERM', endOrFail)
  process.on('SIGINT', endOrFail)
}

function readOrExit(argv: readonly string[]): ReturnType<typeof readProcessConfig> {
  try {
    const reading = readProcessConfig(argv)
    const problem = reading.request === 'serve' ? exposureProblem(reading.config) : undefined
    if (problem !== undefined) throw new ConfigError([problem])
    return reading
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) console.error(problem)
    process.exit(exitCodes.settings)
  }
}

/** What is wrong with an address that cannot be listened on. Undefined for an error that is not about the address. */
export function explainListenError(error: unknown, host: string, port: number): StartupError | undefined {
  const cannot = (message: string) => new StartupError('cannotListen', message, error)
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return cannot(`Port ${port} on ${host} is in use by another program. Stop that program, or choose another port with --port.`)
    case 'EADDRNOTAVAIL':
      return cannot(`This machine has no address ${host}. Choose one that it has with --host, such as 127.0.0.1.`)
    case 'EACCES':
    case 'EPERM':
      return cannot(`This user may not listen on port ${port}. Choose a port above 1023 with --port.`)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
    case 'EINVAL':
      return cannot(`The host ${host} has no address (${errorCode(error)}). Correct --host; 127.0.0.1 is this machine alone.`)
    default:
      return undefined
  }
}

/** `http://[::1]:4200` */
const addressText = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`
