import { readFileSync } from 'node:fs'
import type { Credentials } from '@millrace/client/http.ts'
import { UsageError } from './errors.ts'
import { findProfile, profilePath, readProfiles } from './profiles.ts'

/** Where the commands find the server, and with which credentials. */
export interface Connection extends Credentials {
  readonly url: string
  /** The flag, variable or profile that set the URL. */
  readonly source: string
  /** The variables or the profile that set the credentials. */
  readonly credentialsSource: string
}

export const defaultUrl = 'http://127.0.0.1:4200/api'

type Environment = Readonly<Record<string, string | undefined>>

type SourcedCredentials = Pick<Connection, 'authString' | 'key' | 'credentialsSource'>

/** A flag overrides the environment, which overrides the active profile. The `PREFECT_` names are those of existing clients. */
export function resolveConnection(
  flags: { readonly server?: string | undefined; readonly profile?: string | undefined },
  env: Environment,
): Connection {
  if (flags.server !== undefined) return { url: apiUrl(flags.server, '--server'), source: '--server', ...environmentCredentials(env) }
  if (flags.profile === undefined) {
    const variable = ['MILLRACE_API_URL', 'PREFECT_API_URL'].find((name) => env[name])
    if (variable) return { url: apiUrl(env[variable] as string, variable), source: variable, ...environmentCredentials(env) }
  }
  const file = readProfiles(profilePath(env))
  const name = flags.profile ?? file.active
  if (name === null) return { url: defaultUrl, source: 'default', ...environmentCredentials(env) }
  const { url, auth_string: authString, key } = findProfile(file, name)
  const source = `profile ${name}`
  const credentials = authString || key ? { authString, key, credentialsSource: source } : environmentCredentials(env)
  return { url: apiUrl(url, source), source, ...credentials }
}

function environmentCredentials(env: Environment): SourcedCredentials {
  const authString = readVariable(env, 'API_AUTH_STRING')
  const key = readVariable(env, 'API_KEY')
  return {
    authString: authString?.value,
    key: key?.value,
    credentialsSource: [authString, key].flatMap((each) => each?.variable ?? []).join(', '),
  }
}

function readVariable(env: Environment, name: string): { readonly value: string; readonly variable: string } | undefined {
  const variable = [`MILLRACE_${name}`, `MILLRACE_${name}_FILE`, `PREFECT_${name}`].find((each) => env[each])
  if (variable === undefined) return undefined
  const value = env[variable] as string
  return { variable, value: variable.endsWith('_FILE') ? readSecret(value, variable) : value }
}

function readSecret(path: string, variable: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`${variable}: cannot read ${path} (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Adds `/api` to the address of a server. */
export function apiUrl(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`${source}: "${text}" is not a URL such as ${defaultUrl}`)
  if (url.username || url.password) throw new UsageError(`${source}: a URL must not contain credentials. Use MILLRACE_API_AUTH_STRING or a profile.`)
  return url.pathname === '/' ? `${url.origin}/api` : url.href.replace(/\/+$/, '')
}
