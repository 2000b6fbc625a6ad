import { readFileSync } from 'node:fs'
import { closestMatch } from './closest-match.ts'
import { aliasName, environmentName, listSettings, type Setting } from './setting.ts'
import { Settings } from './settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Read by the SDK and the command line, so that the server knows them and does not warn. */
const clientVariables = ['MILLRACE_API_URL', 'MILLRACE_API_AUTH_STRING', 'MILLRACE_API_KEY']

export interface GivenValue {
  text: string
  source: string
  /** The text is a span of time and not a number of the setting's unit. */
  isDuration: boolean
}

/** What the environment says about a setting: its own name first, then its aliases in order. An empty variable counts as not set. */
export function readFromEnvironment(env: Environment, place: readonly string[], setting: Setting): GivenValue | undefined {
  const own = environmentName(place)
  const file = setting.secret ? env[`${own}_FILE`] : undefined
  if (file && env[own]) throw new Error(`${own} and ${own}_FILE are both set: keep one`)
  if (env[own]) return { text: env[own], source: own, isDuration: false }
  if (file) return { text: readSecret(file, `${own}_FILE`), source: `${own}_FILE`, isDuration: false }
  const alias = setting.aliases?.find((name) => env[aliasName(name)])
  if (alias === undefined) return undefined
  return { text: env[aliasName(alias)] ?? '', source: aliasName(alias), isDuration: typeof alias !== 'string' }
}

function readSecret(path: string, source: string): string {
  try {
    // Editors and `echo` end a file with a line break that is no part of the secret.
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new Error(`${source}: cannot read ${path} (${error instanceof Error && 'code' in error ? error.code : error})`)
  }
}

/** A line for every variable that looks like a setting and is none. */
export function unknownVariableWarnings(env: Environment): string[] {
  const known = listSettings(Settings).flatMap(({ place, setting }) => {
    const name = environmentName(place)
    const formerNames = (setting.aliases ?? []).map(aliasName).filter((alias) => alias.startsWith('MILLRACE_'))
    return setting.secret ? [name, `${name}_FILE`, ...formerNames] : [name, ...formerNames]
  })
  const names = new Set([...known, ...clientVariables])
  return Object.keys(env)
    .filter((name) => name.startsWith('MILLRACE_') && !names.has(name))
    .sort()
    .map((name) => {
      const meant = closestMatch(name, names)
      return `${name} is no setting of Millrace and has no effect${meant ? `; did you mean ${meant}?` : ''}`
    })
}
