import { type App, buildApp } from '@millrace/server/app.ts'
import { type Config, ConfigError, readConfig } from '@millrace/server/config.ts'
import { serviceActor } from '@millrace/server/lib/actor.ts'
import { type ActingContext, actAs } from '@millrace/server/storage/server-context.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../errors.ts'

/** Name of the holder of a SQLite file in the message to other processes. */
export const lockHolderName = 'a millrace command'

/** The parts of a server; all that a command writes has the actor of its context. */
type DatabaseApp = App & { readonly context: ActingContext }

/**
 * Opens the database without listening and without services. All commands that use it write, so that a server on SQLite has to be stopped first.
 */
export async function withDatabase<R>(cli: Cli, url: string | undefined, use: (app: DatabaseApp) => Promise<R>): Promise<R> {
  const app = await buildApp({ config: databaseConfig(cli, url), lockHolderName, onWait: (message) => cli.output.note(message) })
  try {
    return await use({ ...app, context: actAs(app.context, serviceActor('command-line')) })
  } finally {
    await app.close()
  }
}

/** The settings of the environment, with the database of `--database`. */
export function databaseConfig({ io }: Cli, url: string | undefined): Config {
  try {
    return readConfig(io.env, url === undefined ? [] : ['--database', url]).config
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.problems.join('\n'))
    throw error
  }
}
