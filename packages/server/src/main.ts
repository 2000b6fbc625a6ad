import { buildApp } from './app.ts'
import { ConfigError, readProcessConfig } from './config.ts'
import { version } from './version.ts'

/** Reads the settings, starts the server, and ends it in order when told to. */
export async function main(argv: readonly string[]): Promise<void> {
  const { config, warnings, request } = readOrExit(argv)
  if (request === 'version') return console.log(version)
  const app = await buildApp({ config, logger: { level: String(config.server.log_level) } })
  for (const warning of warnings) app.server.log.warn(warning)
  const address = await app.server.listen({ host: config.server.host, port: config.server.port })
  console.log(`Millrace ${version} is ready at ${address}`)

  let closing = false
  const stop = () => {
    if (closing) process.exit(1)
    closing = true
    app.close().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

function readOrExit(argv: readonly string[]): ReturnType<typeof readProcessConfig> {
  try {
    return readProcessConfig(argv)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) console.error(problem)
    process.exit(2)
  }
}
