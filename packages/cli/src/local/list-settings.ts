import { HIDDEN } from '@millrace/server/config/describe.ts'
import { ConfigError, describeConfig, readConfig } from '@millrace/server/config.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../errors.ts'
import type { ShownSetting } from '../local-interface.ts'

/** The settings of the commands and of a server in this environment. */
export const listSettings = (cli: Cli): ShownSetting[] => [...clientSettings(cli), ...serverSettings(cli)]

function clientSettings({ connection }: Cli): ShownSetting[] {
  const { url, source, authString, key, credentialsSource } = connection
  const secret = (name: string, value: string | undefined): ShownSetting => ({
    name: `client.${name}`,
    variable: `MILLRACE_API_${name.toUpperCase()}`,
    value: value ? HIDDEN : null,
    source: value ? credentialsSource : 'default',
  })
  return [{ name: 'client.url', variable: 'MILLRACE_API_URL', value: url, source }, secret('auth_string', authString), secret('key', key)]
}

function serverSettings({ io }: Cli): ShownSetting[] {
  try {
    return describeConfig(readConfig(io.env, [])).map(({ place, environment_name, value, source }) => ({
      name: place,
      variable: environment_name,
      value,
      source,
    }))
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.problems.join('\n'))
    throw error
  }
}
