import type { IncomingHttpHeaders } from 'node:http'
import { badRequest } from '../errors.ts'
import { apiVersion } from '../version.ts'

/** Clients below this version use another version of the API. */
const oldestVersion = [0, 8, 0] as const

/** Clients send the same headers each time, so the result of the last value is kept. */
let lastAcceptedVersion: string | undefined
let lastAgent: { readonly text: string | undefined; readonly leaseMode: string | undefined } = { text: undefined, leaseMode: undefined }

/** Rejects an API version header that is malformed or too old. Clients may omit it. */
export function checkClientVersion(header: string | string[] | undefined): void {
  if (!header || header === lastAcceptedVersion) return
  const match = typeof header === 'string' ? /^(\d+)\.(\d+)\.(\d+)$/.exec(header) : null
  if (!match) throw badRequest(`Invalid X-PREFECT-API-VERSION header: expected 'x.y.z', got ${JSON.stringify(header)}`)
  const given = match.slice(1).map(Number)
  const at = oldestVersion.findIndex((part, index) => part !== given[index])
  if (at >= 0 && (given[at] as number) < (oldestVersion[at] as number)) {
    throw badRequest(`API version ${header} of the client is too old for this server (${apiVersion}). Update the client.`)
  }
  lastAcceptedVersion = match[0]
}

/** Workers of these versions acquire deployment slots themselves before they propose a state. */
const clientManagedVersions = /^3\.0\.(?:[0-3]|0rc20)$/

/** First version that renews the lease of the deployment slot during a run. */
const firstRenewingVersion = [3, 4, 11] as const

/** Sets the lease mode of existing clients, which do not send it, by their version. */
export function setLeaseModeHeader(headers: IncomingHttpHeaders): void {
  if (headers['x-service-slots'] !== undefined) return
  const text = headers['user-agent']
  if (text !== lastAgent.text) lastAgent = { text, leaseMode: leaseModeOf(text ?? '') }
  if (lastAgent.leaseMode !== undefined) headers['x-service-slots'] = lastAgent.leaseMode
}

function leaseModeOf(agent: string): string | undefined {
  const [, version, major, minor, patch, rest] = /^prefect\/((\d+)\.(\d+)\.(\d+)([a-z0-9.+]*)) \(API \S+\)$/.exec(agent) ?? []
  if (version === undefined || rest === undefined) return undefined
  if (clientManagedVersions.test(version)) return 'brings'
  return isRenewingVersion([Number(major), Number(minor), Number(patch)], rest) ? 'renews' : undefined
}

/** Pre-releases (`3.4.11rc1`, `3.4.11.dev2`) count as older than the version, later builds (`3.4.11+4.g1234`) do not. */
function isRenewingVersion(version: readonly number[], rest: string): boolean {
  const at = firstRenewingVersion.findIndex((part, index) => part !== version[index])
  if (at < 0) return rest === '' || /^(?:\+|\.post)/.test(rest)
  return (version[at] as number) > (firstRenewingVersion[at] as number)
}

/** Above the maximum of `concurrency.maximum_hold_seconds`. */
const waitSecondsMax = 3600

/**
 * Sets `Prefer: wait` for existing clients, which do not send it. Without it they sleep for `Retry-After` even if a slot becomes free at once. A
 * client that stops waiting closes the connection.
 */
export function setPreferWaitHeader(headers: IncomingHttpHeaders): void {
  if (headers.prefer === undefined && headers['user-agent']?.startsWith('prefect/')) headers.prefer = `wait=${waitSecondsMax}`
}

/** Existing workers send their name in another header. */
export function copyWorkerNameHeader(headers: IncomingHttpHeaders): void {
  const name = headers['x-prefect-worker-name']
  if (name !== undefined) headers['x-service-worker'] ??= name
}
