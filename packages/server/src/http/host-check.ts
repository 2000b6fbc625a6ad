import { isIPv4, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { hostNotAllowed } from '../errors.ts'

export interface HostOptions {
  /** `allowed_hosts`: names, `*.example.com` for all below one, `*` for all. */
  readonly allowedHosts: readonly string[]
  /** `ui_url`, whose host is ours. */
  readonly uiUrl: string
  /** `host`, the address or name listened on. */
  readonly listenHost: string
}

/**
 * Top-level names that public DNS does not serve, so that nobody outside can point one at this machine: `localhost` and `test` (RFC 6761), `local`
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

/** Probes come by any name, and learn nothing that anybody may not know. */
const openRoutes = new Set<string | undefined>(['/health', '/ready'])

/**
 * Refuses requests for host names that anybody on the internet could have registered. A page of such a name may point it at this machine after it
 * was loaded (DNS rebinding), and is then of our own origin to the browser. Only needed where no password is asked for. A request that names no
 * host comes from no browser.
 */
export function createHostCheck(options: HostOptions): (request: FastifyRequest) => void {
  const isAllowed = createHostMatcher(options)
  let last: string | undefined
  return (request) => {
    const { host } = request.headers
    if (host !== undefined && host !== '' && host !== last) {
      if (!isAllowed(host)) return refuse(request, host)
      // Clients send the same one each time. A refused one is not kept.
      last = host
    }
    const target = hostInTarget(request.originalUrl)
    if (target !== undefined && !isAllowed(target)) refuse(request, target)
  }
}

function refuse(request: FastifyRequest, host: string): void {
  if (!openRoutes.has(request.routeOptions.url)) throw hostNotAllowed(hostName(host))
}

export function createHostMatcher({ allowedHosts, uiUrl, listenHost }: HostOptions): (host: string) => boolean {
  if (allowedHosts.includes('*')) return () => true
  const own = [listenHost, ...(URL.canParse(uiUrl) ? [new URL(uiUrl).host] : []), ...allowedHosts].map(hostName)
  const names = new Set(own.filter((name) => !name.startsWith('*.')))
  const endings = own.filter((name) => name.startsWith('*.')).map((name) => name.slice(1))
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

/** Without port and without the dot that may end a full name. */
const hostName = (host: string): string => host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')

/** A request line may hold a host too (`GET http://host/path`); where it does, it has to be allowed as well. */
function hostInTarget(target: string): string | undefined {
  if (target.startsWith('/')) return undefined
  return /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(target)?.[1]
}
