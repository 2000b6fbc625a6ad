import { type App, buildApp } from '@millrace/server/app.ts'
import { ConfigError, readProcessConfig } from '@millrace/server/config.ts'
import { UsageError } from './arguments.ts'

/** Uses the database of a server without being one: nothing listens, and no service runs. */
export async function withDatabase<R>(url: string | undefined, use: (app: App) => Promise<R>): Promise<R> {
  const app = await buildApp({ config: configFor(url) })
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
