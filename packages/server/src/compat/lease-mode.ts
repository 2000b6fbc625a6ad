import type { IncomingHttpHeaders } from 'node:http'

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
