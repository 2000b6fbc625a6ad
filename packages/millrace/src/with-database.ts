import { type App, buildApp } from '@millrace/server/app.ts'
import { ConfigError, readProcessConfig } from '@millrace/server/config.ts'
import { UsageError } from './arguments.ts'

/**
 * Uses the database of a server without being one: nothing listens, and no service runs. On SQLite the server has to be stopped first, as all
 * commands that come here write.
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
