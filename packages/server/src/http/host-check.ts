import { isIPv4, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { hostNotAllowed } from '../errors.ts'

export interface HostOptions {
  /** `allowed_hosts`: names, `*.example.com` for all subdomains, `*` for all. */
  readonly allowedHosts: readonly string[]
  /** `ui_url`, whose host is allowed. */
  readonly uiUrl: string
  /** `host`, the address or name that the server listens on. */
  readonly listenHost: string
}

/**
 * Top-level names that are not in public DNS, so that nobody outside can point one at this machine: `localhost` and `test` (RFC 6761), `local`
 * (RFC 6762), `internal` (reserved by ICANN), `corp` and `home` (ICANN does not delegate them), `intranet`, `lan` and `private` (RFC 6762, appendix G),
 * `localdomain` (default of many resolvers), `svc` (Kubernetes), `docker`. Below `arpa`, `home.arpa` (RFC 8375).
 */
const privateTopLevels = new Set([
  'corp',
  'docker',
  'home',
  'internal',
  'intranet',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'private',
  'svc',
  'test',
])

/** Probes use any host name. The responses hold nothing secret. */
const openRoutes = new Set<string | undefined>(['/health', '/ready'])

/**
 * Rejects requests for public host names that are not allowed. The owner of such a name can point it at this machine after its page was loaded (DNS
 * rebinding); for the browser the page is then of the origin of this server. Not needed with a password. A request without a host is not from a
 * browser.
 */
export function createHostCheck(options: HostOptions): (request: FastifyRequest) => void {
  const isAllowed = createHostMatcher(options)
  let last: string | undefined
  return (request) => {
    const { host } = request.headers
    if (host !== undefined && host !== '' && host !== last) {
      if (!isAllowed(host)) return reject(request, host)
      // Clients send the same host each time. A rejected host is not cached.
      last = host
    }
    const target = hostInTarget(request.originalUrl)
    if (target !== undefined && !isAllowed(target)) reject(request, target)
  }
}

function reject(request: FastifyRequest, host: string): void {
  if (!openRoutes.has(request.routeOptions.url)) throw hostNotAllowed(hostName(host))
}

export function createHostMatcher({ allowedHosts, uiUrl, listenHost }: HostOptions): (host: string) => boolean {
  if (allowedHosts.includes('*')) return () => true
  const hosts = [listenHost, ...(URL.canParse(uiUrl) ? [new URL(uiUrl).host] : []), ...allowedHosts].map(hostName)
  const names = new Set(hosts.filter((name) => !name.startsWith('*.')))
  const endings = hosts.filter((name) => name.startsWith('*.')).map((name) => name.slice(1))
  return (host) => {
    const name = hostName(host)
    return isPrivate(name) || names.has(name) || endings.some((ending) => name.endsWith(ending))
  }
}

function isPrivate(name: string): boolean {
  if (isIPv4(name) || (name.startsWith('[') && isIPv6(name.slice(1, -1)))) return true
  const dot = name.lastIndexOf('.')
  return dot === -1 || privateTopLevels.has(name.slice(dot + 1)) || name.endsWith('.home.arpa')
}

/** Removes the port and the trailing dot of a fully qualified name. */
const hostName = (host: string): string => host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')

/** The host in the request line (`GET http://host/path`), which has to be allowed too. */
function hostInTarget(target: string): string | undefined {
  if (target.startsWith('/')) return undefined
  return /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(target)?.[1]
}
