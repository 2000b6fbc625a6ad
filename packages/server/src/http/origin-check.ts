import type { IncomingHttpHeaders } from 'node:http'
import { originNotAllowed, unsupportedBody } from '../errors.ts'

/** The parts of a request that the check reads. */
export interface OriginRequest {
  readonly headers: IncomingHttpHeaders
}

export interface OriginCheck {
  /** Throws 403 when a page of another origin sent the request and its origin is not allowed. */
  rejectCrossOrigin(request: OriginRequest): void
  /** Also throws 415 when a browser sends a body that is not declared as JSON. For requests that may change data. */
  rejectCrossOriginWrite(request: OriginRequest): void
}

export interface OriginOptions {
  /** `cors_allowed_origins`; `*` allows every origin. */
  readonly corsOrigins?: readonly string[]
  /** `ui_url`: the dashboard's address as people see it, which may differ from `Host` behind a proxy. */
  readonly uiUrl?: string
}

/** Methods that change nothing. All others count as unsafe, queries by POST too: the path does not show what a request does. */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export const isUnsafeMethod = (method: string): boolean => !safeMethods.has(method)

/** Values of `Sec-Fetch-Site` for our own pages and for the address bar. `same-site` is excluded: another port of the host is another program. */
const sameOriginSites = new Set(['same-origin', 'none'])

const shownCharactersMax = 200

/**
 * Rejects requests that a page of another origin sends. Browsers send some cross-origin requests without a preflight, and CORS only prevents the page
 * from reading the response, so the server has to reject them. A page cannot set `Origin` and `Sec-Fetch-Site`; programs send neither and are
 * accepted.
 */
export function createOriginCheck({ corsOrigins = [], uiUrl = '' }: OriginOptions = {}): OriginCheck {
  const isAny = corsOrigins.includes('*')
  const allowed = new Set(corsOrigins.map(normaliseOrigin))
  if (URL.canParse(uiUrl)) allowed.add(new URL(uiUrl).origin)
  const isSameOrigin = createSameOriginTest()

  function isForeign({ headers: { origin, host = '', 'sec-fetch-site': site } }: OriginRequest): boolean {
    if (origin !== undefined && allowed.has(origin.toLowerCase())) return false
    if (site !== undefined && !sameOriginSites.has(String(site))) return true
    return origin !== undefined && !isSameOrigin(origin, host)
  }

  function rejectForeign(request: OriginRequest): void {
    if (!isBrowser(request) || isAny || !isForeign(request)) return
    throw originNotAllowed((request.headers.origin ?? 'unknown').slice(0, shownCharactersMax))
  }

  return {
    rejectCrossOrigin: rejectForeign,
    rejectCrossOriginWrite(request) {
      if (!isBrowser(request)) return
      rejectForeign(request)
      // With `*` any page is allowed. Only a request with a preflight may carry the password that the browser stores.
      const needsPreflight = isAny && request.headers.authorization !== undefined && isForeign(request)
      if ((hasBody(request) || needsPreflight) && !hasJsonContentType(request))
        throw unsupportedBody('browsers have to send the content type application/json')
    },
  }
}

/** Browsers send an origin in lower case and without a trailing slash. */
export const normaliseOrigin = (origin: string): string => origin.toLowerCase().replace(/\/+$/, '')

const isBrowser = ({ headers }: OriginRequest): boolean => headers.origin !== undefined || headers['sec-fetch-site'] !== undefined

/**
 * Compares the origin with `Host`, without the scheme: behind a proxy that terminates TLS it is unknown. Caches the last result, since a page sends
 * the same pair with every request.
 */
function createSameOriginTest(): (origin: string, host: string) => boolean {
  let last = { origin: '', host: '', isSame: false }
  return (origin, host) => {
    if (last.origin !== origin || last.host !== host) last = { origin, host, isSame: isSameHost(origin, host) }
    return last.isSame
  }
}

function isSameHost(origin: string, host: string): boolean {
  if (!/^https?:\/\//i.test(origin) || !URL.canParse(origin)) return false
  const { protocol, host: originHost } = new URL(origin)
  // With the scheme of the origin, so that `:443` equals no port.
  const url = `${protocol}//${host}`
  return URL.canParse(url) && new URL(url).host === originHost
}

const hasBody = ({ headers }: OriginRequest): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && Number(headers['content-length']) !== 0)

/** Browsers send other types across origins without a preflight: `text/plain`, forms, and bodies without a type. */
const hasJsonContentType = ({ headers }: OriginRequest): boolean => /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? '')
