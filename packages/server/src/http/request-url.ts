import type { FastifyRequest } from 'fastify'
import { badRequest } from '../errors.ts'

/** A name or an address with an optional port. */
const host = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Clients send the same host each time. */
let lastValidHost = ''

/** Rejects an invalid `Host`, since links in responses begin with it. HTTP/1.0 clients send none. */
export function checkHost({ raw }: FastifyRequest): void {
  const given = raw.headers.host
  if (given !== undefined && given !== '' && given !== lastValidHost) {
    if (!host.test(given)) throw badRequest('Invalid Host header')
    lastValidHost = given
  }
  // Node uses the first one; a proxy may have used the last.
  if (isRepeated('host', raw.rawHeaders)) throw badRequest('The Host header is repeated')
}

/** `rawHeaders` alternates names and values. */
function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i] as string
    if (given.length === name.length && given.toLowerCase() === name) count += 1
  }
  return count > 1
}

/** The path of a request target. Forward proxies send the full URL (`GET http://host/path`). */
export const localPath = (url: string): string => (url.startsWith('/') ? url : url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '') || '/')

/**
 * The URL of the request with the host that the client sent; a client can only mislead itself. `X-Forwarded-…` and `Forwarded` are ignored, since
 * every client can send them. A proxy may keep or strip the base path; links contain it in both cases.
 */
export function requestUrl(request: FastifyRequest, basePath: string): string {
  const path = localPath(request.originalUrl)
  const hasBasePath = path === basePath || path.startsWith(`${basePath}/`) || path.startsWith(`${basePath}?`)
  return `${request.protocol}://${request.host || socketHost(request)}${hasBasePath ? '' : basePath}${path}`
}

function socketHost({ socket }: FastifyRequest): string {
  const { localAddress = 'localhost', localPort } = socket
  const name = localAddress.includes(':') ? `[${localAddress}]` : localAddress
  return localPort === undefined ? name : `${name}:${localPort}`
}

const strayPercent = /%(?![\da-f]{2})/gi
const escapes = /(?:%[\da-f]{2})+/gi

/**
 * Makes every escape of a URL decodable, as in the v3 API: a percent sign without two hex digits is literal (`/flows/name/my%flow`), invalid UTF-8
 * becomes U+FFFD. The router would reject the URL otherwise.
 */
export function repairEscapes(url: string): string {
  if (!url.includes('%')) return url
  const complete = url.replace(strayPercent, '%25')
  return isDecodable(complete)
    ? complete
    : complete.replace(escapes, (bytes) => encodeURIComponent(Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8')))
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}
