import { type App, buildApp } from './app.ts'
import { exposureProblem, exposureWarnings } from './config/exposure.ts'
import { usage } from './config/flags.ts'
import { ConfigError, readProcessConfig } from './config.ts'
import { afterSeconds } from './lib/time.ts'
import { version } from './version.ts'

/** Reads the settings, starts the server, and ends it in order when told to. */
export async function main(argv: readonly string[]): Promise<void> {
  const { config, warnings, request } = readOrExit(argv)
  if (request === 'version') return console.log(version)
  if (request === 'help') return console.log(usage('npm start --'))

  const app = await buildApp({ config, logger: { level: config.server.log_level } })
  for (const warning of [...warnings, ...exposureWarnings(config)]) app.server.log.warn(warning)
  if (config.services.enabled) app.startServices()
  if (config.server.api.enabled) {
    const address = await app.server.listen({ host: config.server.host, port: config.server.port })
    console.log(`Millrace ${version} is ready at ${address}`)
  } else console.log(`Millrace ${version} runs its background services`)
  endOnSignal(app, config.server.shutdown_grace_seconds)
}

/** The first signal lets requests in flight come to their end, for as long as the grace lasts; the second ends at once. */
function endOnSignal(app: App, graceSeconds: number): void {
  let ending = false
  const end = () => {
    if (ending) process.exit(1)
    ending = true
    afterSeconds(graceSeconds, () => {
      console.error(`Requests were still in flight after ${graceSeconds} seconds; ending all the same`)
      process.exit(1)
    })
    app.close().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
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
    process.exit(2)
  }
}
