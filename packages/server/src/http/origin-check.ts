import type { IncomingHttpHeaders } from 'node:http'
import { originNotAllowed, unsupportedBody } from '../errors.ts'

/** The parts of a request that the check reads. */
export interface OriginRequest {
  readonly headers: IncomingHttpHeaders
}

export interface OriginCheck {
  /** Throws 403 when a page of another origin sent the request and its origin is not allowed. */
  rejectCrossOrigin(request: OriginRequest): void
  /** The same, and 415 for a body that a browser sends and does not call JSON. For requests that may change something. */
  rejectCrossOriginWrite(request: OriginRequest): void
}

export interface OriginOptions {
  /** `cors_allowed_origins`; `*` allows every origin. */
  readonly corsOrigins?: readonly string[]
  /** `ui_url`: the dashboard's address as people see it, which may differ from `Host` behind a proxy. */
  readonly uiUrl?: string
}

/** Methods that change nothing. Every other one may, queries by POST too: the path does not say what a request does. */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export const isUnsafeMethod = (method: string): boolean => !safeMethods.has(method)

/** Values of `Sec-Fetch-Site` of our own pages and of the address bar. `same-site` is not among them: another port of the same host is another program. */
const sameOriginSites = new Set(['same-origin', 'none'])

const shownCharactersMax = 200

/**
 * Tells requests of our own pages and of programs from requests that a page of another origin sends. Browsers send some requests across origins
 * without asking first (CORS only keeps the page from reading the answer), so the server has to refuse them itself. `Origin` and `Sec-Fetch-Site`
 * cannot be set by a page; programs send neither of them and are let through.
 */
export function createOriginCheck({ corsOrigins = [], uiUrl = '' }: OriginOptions = {}): OriginCheck {
  const isAny = corsOrigins.includes('*')
  const allowed = new Set(corsOrigins.map(normaliseOrigin))
  if (URL.canParse(uiUrl)) allowed.add(new URL(uiUrl).origin)
  const isOwn = createSameOriginTest()

  function isForeign({ headers: { origin, host = '', 'sec-fetch-site': site } }: OriginRequest): boolean {
    if (origin !== undefined && allowed.has(origin.toLowerCase())) return false
    if (site !== undefined && !sameOriginSites.has(String(site))) return true
    return origin !== undefined && !isOwn(origin, host)
  }

  function refuseForeign(request: OriginRequest): void {
    if (!isBrowser(request) || isAny || !isForeign(request)) return
    throw originNotAllowed((request.headers.origin ?? 'unknown').slice(0, shownCharactersMax))
  }

  return {
    rejectCrossOrigin: refuseForeign,
    rejectCrossOriginWrite(request) {
      if (!isBrowser(request)) return
      refuseForeign(request)
      // With `*` a page may be anybody's. Only a request that the browser had to ask for in advance may carry the password that the browser keeps.
      const needsPreflight = isAny && request.headers.authorization !== undefined && isForeign(request)
      if ((hasBody(request) || needsPreflight) && !hasJsonContentType(request))
        throw unsupportedBody('a browser has to send it with the content type application/json')
    },
  }
}

/** Browsers name an origin without a slash at its end, and in lower case. */
export const normaliseOrigin = (origin: string): string => origin.toLowerCase().replace(/\/+$/, '')

const isBrowser = ({ headers }: OriginRequest): boolean => headers.origin !== undefined || headers['sec-fetch-site'] !== undefined

/**
 * Compares with `Host` and leaves the scheme out: behind a proxy that ends TLS we do not know ours. Remembers the last answer, since a page sends
 * the same pair with every request.
 */
function createSameOriginTest(): (origin: string, host: string) => boolean {
  let last = { origin: '', host: '', isOwn: false }
  return (origin, host) => {
    if (last.origin !== origin || last.host !== host) last = { origin, host, isOwn: isSameHost(origin, host) }
    return last.isOwn
  }
}

function isSameHost(origin: string, host: string): boolean {
  if (!/^https?:\/\//i.test(origin) || !URL.canParse(origin)) return false
  const { protocol, host: given } = new URL(origin)
  // Read by the origin's scheme, so that `:443` is the same as no port.
  const own = `${protocol}//${host}`
  return URL.canParse(own) && new URL(own).host === given
}

const hasBody = ({ headers }: OriginRequest): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && Number(headers['content-length']) !== 0)

/** Browsers send other types across origins without asking in advance: `text/plain`, forms, and bodies that are called nothing. */
const hasJsonContentType = ({ headers }: OriginRequest): boolean => /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? '')
