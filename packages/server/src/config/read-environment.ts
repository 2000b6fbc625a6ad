import { readFileSync } from 'node:fs'
import { closestMatch } from './closest-match.ts'
import { aliasName, environmentName, listSettings, type Setting } from './setting.ts'
import { Settings } from './settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Variables of clients and of the command line. The server ignores them without a warning. */
const clientVariables = [
  'MILLRACE_API_URL',
  'MILLRACE_API_AUTH_STRING',
  'MILLRACE_API_AUTH_STRING_FILE',
  'MILLRACE_API_KEY',
  'MILLRACE_API_KEY_FILE',
  'MILLRACE_DEBUG',
]

export interface GivenValue {
  text: string
  source: string
  /** The text is a duration (`PT1H`), not a number in the unit of the setting. */
  isDuration: boolean
}

/** Reads a setting from its own variable, then from its aliases in order. An empty variable counts as not set. */
export function readFromEnvironment(env: Environment, place: readonly string[], setting: Setting): GivenValue | undefined {
  const variable = environmentName(place)
  const file = setting.secret ? env[`${variable}_FILE`] : undefined
  if (file && env[variable]) throw new Error(`${variable} and ${variable}_FILE are both set. Remove one.`)
  if (env[variable]) return { text: env[variable], source: variable, isDuration: false }
  if (file) return { text: readSecret(file, `${variable}_FILE`), source: `${variable}_FILE`, isDuration: false }
  const alias = setting.aliases?.find((name) => env[aliasName(name)])
  if (alias === undefined) return undefined
  return { text: env[aliasName(alias)] ?? '', source: aliasName(alias), isDuration: typeof alias !== 'string' }
}

function readSecret(path: string, source: string): string {
  try {
    // Editors and `echo` add a line break that is not part of the secret.
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new Error(`${source}: cannot read ${path} (${error instanceof Error && 'code' in error ? error.code : error})`)
  }
}

/** Returns a warning for every `MILLRACE_` variable that is not a setting. */
export function unknownVariableWarnings(env: Environment): string[] {
  const settingNames = listSettings(Settings).flatMap(({ place, setting }) => {
    const name = environmentName(place)
    const formerNames = (setting.aliases ?? []).map(aliasName).filter((alias) => alias.startsWith('MILLRACE_'))
    return setting.secret ? [name, `${name}_FILE`, ...formerNames] : [name, ...formerNames]
  })
  const names = new Set([...settingNames, ...clientVariables])
  return Object.keys(env)
    .filter((name) => name.startsWith('MILLRACE_') && !names.has(name))
    .sort()
    .map((name) => {
      const meant = closestMatch(name, names)
      return `Unknown setting ${name} is ignored.${meant ? ` Did you mean ${meant}?` : ''}`
    })
}
