import { readFileSync } from 'node:fs'
import type { Credentials } from '@millrace/client/http.ts'
import { UsageError } from './errors.ts'
import { findProfile, profilePath, readProfiles } from './profiles.ts'

/** Where the commands find the server, and with which credentials. */
export interface Connection extends Credentials {
  readonly url: string
  /** The flag, variable or profile that set the URL. */
  readonly source: string
}

export const defaultUrl = 'http://127.0.0.1:4200/api'

type Environment = Readonly<Record<string, string | undefined>>

/** A flag overrides the environment, which overrides the active profile. The `PREFECT_` names are those of existing clients. */
export function resolveConnection(
  flags: { readonly server?: string | undefined; readonly profile?: string | undefined },
  env: Environment,
): Connection {
  const fromEnvironment = environmentCredentials(env)
  if (flags.server !== undefined) return { url: apiUrl(flags.server, '--server'), source: '--server', ...fromEnvironment }
  if (flags.profile === undefined) {
    const variable = ['MILLRACE_API_URL', 'PREFECT_API_URL'].find((name) => env[name])
    if (variable) return { url: apiUrl(env[variable] as string, variable), source: variable, ...fromEnvironment }
  }
  const file = readProfiles(profilePath(env))
  const name = flags.profile ?? file.active
  if (name === null) return { url: defaultUrl, source: 'default', ...fromEnvironment }
  const { url, auth_string: authString, key } = findProfile(file, name)
  const source = `profile ${name}`
  return { url: apiUrl(url, source), source, ...(authString || key ? { authString, key } : fromEnvironment) }
}

function environmentCredentials(env: Environment): Credentials {
  const authString = readVariable(env, 'API_AUTH_STRING')
  const key = readVariable(env, 'API_KEY')
  return { ...(authString && { authString }), ...(key && { key }) }
}

function readVariable(env: Environment, name: string): string | undefined {
  const file = env[`MILLRACE_${name}_FILE`]
  if (env[`MILLRACE_${name}`]) return env[`MILLRACE_${name}`]
  if (!file) return env[`PREFECT_${name}`] || undefined
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`MILLRACE_${name}_FILE: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Adds `/api` to the address of a server. */
export function apiUrl(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`${source}: "${text}" is not a URL such as ${defaultUrl}`)
  if (url.username || url.password) throw new UsageError(`${source}: a URL must not contain credentials. Use MILLRACE_API_AUTH_STRING or a profile.`)
  return url.pathname === '/' ? `${url.origin}/api` : url.href.replace(/\/+$/, '')
}
