import { type App, buildApp } from '@millrace/server/app.ts'
import { ConfigError, readProcessConfig } from '@millrace/server/config.ts'
import { UsageError } from './arguments.ts'

/**
 * Opens the database without listening and without services. All commands that use it write, so that a server on SQLite has to be stopped first.
 */
export async function withDatabase<R>(url: string | undefined, use: (app: App) => Promise<R>): Promise<R> {
  const app = await buildApp({ config: configFor(url), lockHolderName: 'a millrace command', onWait: (message) => console.error(message) })
  try {
    return await use(app)
  } finally {
    await app.close()
  }
}

function configFor(url: string | undefined) {
  try {
    return readProcessConfig(url === undefined ? [] : ['--database', url]).config
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.problems.join('\n'))
    throw error
  }
}
