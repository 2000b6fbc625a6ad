import type { IncomingHttpHeaders } from 'node:http'
import { badRequest } from '../errors.ts'
import { apiVersion } from '../version.ts'

/** Clients older than this speak another dialect of the API. */
const oldestVersion = [0, 8, 0] as const

/** Existing clients say which version of the API they speak: malformed or too old is refused, none at all is fine. */
export function checkClientVersion(header: string | string[] | undefined): void {
  if (!header) return
  const match = typeof header === 'string' ? /^(\d+)\.(\d+)\.(\d+)$/.exec(header) : null
  if (!match) throw badRequest(`Invalid X-PREFECT-API-VERSION header: expected 'x.y.z', got ${JSON.stringify(header)}`)
  const given = match.slice(1).map(Number)
  const at = oldestVersion.findIndex((part, index) => part !== given[index])
  if (at >= 0 && (given[at] as number) < (oldestVersion[at] as number)) {
    throw badRequest(`The client speaks version ${header} of the API, which is too old for this server (${apiVersion}): update the client`)
  }
}

/** Workers of these versions take the slots of deployments themselves before they propose a state. */
const clientManagedVersions = /^3\.0\.(?:[0-3]|0rc20)$/

/** The first that renews the lease of its deployment's slot while it runs. */
const firstRenewingVersion = [3, 4, 11] as const

/** Existing clients cannot say what they do about slots, but their version tells, so it is said for them. */
export function setLeaseModeHeader(headers: IncomingHttpHeaders): void {
  if (headers['x-service-slots'] !== undefined) return
  const [, version, major, minor, patch, rest] = /^prefect\/((\d+)\.(\d+)\.(\d+)([a-z0-9.+]*)) \(API \S+\)$/.exec(headers['user-agent'] ?? '') ?? []
  if (version === undefined || rest === undefined) return
  if (clientManagedVersions.test(version)) headers['x-service-slots'] = 'brings'
  else if (isRenewingVersion([Number(major), Number(minor), Number(patch)], rest)) headers['x-service-slots'] = 'renews'
}

/** What came out before a version (`3.4.11rc1`, `3.4.11.dev2`) cannot do what that version can; a build after it (`3.4.11+4.g1234`) can. */
function isRenewingVersion(version: readonly number[], rest: string): boolean {
  const at = firstRenewingVersion.findIndex((part, index) => part !== version[index])
  if (at < 0) return rest === '' || /^(?:\+|\.post)/.test(rest)
  return (version[at] as number) > (firstRenewingVersion[at] as number)
}

/** Longer than anything that a server allows. */
const secondsMax = 3600

/**
 * Existing clients that find a limit full sleep for as long as they are told, while a slot may come free the next moment. They cannot say that they
 * would rather wait for the answer, so it is said for them; a client that has lost its patience hangs up.
 */
export function setPreferWaitHeader(headers: IncomingHttpHeaders): void {
  if (headers.prefer === undefined && headers['user-agent']?.startsWith('prefect/')) headers.prefer = `wait=${secondsMax}`
}

/** Existing workers give their name under a header of their own. */
export function copyWorkerNameHeader(headers: IncomingHttpHeaders): void {
  const name = headers['x-prefect-worker-name']
  if (name !== undefined) headers['x-service-worker'] ??= name
}
