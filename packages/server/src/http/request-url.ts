import type { FastifyRequest } from 'fastify'
import { badRequest } from '../errors.ts'

/** A name or an address, perhaps with a port. */
const host = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Links in answers begin with the host that the client named, so it has to be one. A client of HTTP/1.0 names none. */
export function checkHost({ headers, raw }: FastifyRequest): void {
  if (headers.host !== undefined && headers.host !== '' && !host.test(headers.host)) throw badRequest('The header Host names no host')
  // Node keeps the first; a proxy before us may have gone by the last.
  if (isRepeated('host', raw.rawHeaders)) throw badRequest('The header Host is given twice')
}

/** `rawHeaders` holds names and values in turn, as they came. */
function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i] as string
    if (given.length === name.length && given.toLowerCase() === name) count += 1
  }
  return count > 1
}

/** The path of a request, which may come with the host before it, as it does through a proxy of the old kind. */
export const localPath = (url: string): string => (url.startsWith('/') ? url : url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '') || '/')

/**
 * The address that the client reached us by. The host is the one that the client asked for: a client can mislead itself alone. What
 * `X-Forwarded-…` and `Forwarded` say counts for nothing, since anybody can send them. A proxy that shows us below a path may leave the path
 * on or take it off; links carry it either way.
 */
export function requestUrl(request: FastifyRequest, basePath: string): string {
  const path = localPath(request.originalUrl)
  const isShown = path === basePath || path.startsWith(`${basePath}/`) || path.startsWith(`${basePath}?`)
  return `${request.protocol}://${request.host || socketHost(request)}${isShown ? '' : basePath}${path}`
}

function socketHost({ socket }: FastifyRequest): string {
  const { localAddress = 'localhost', localPort } = socket
  const name = localAddress.includes(':') ? `[${localAddress}]` : localAddress
  return localPort === undefined ? name : `${name}:${localPort}`
}

const strayPercent = /%(?![\da-f]{2})/gi
const escapes = /(?:%[\da-f]{2})+/gi

/**
 * Makes every escape of an address decodable, as the v3 API reads it: a percent sign that begins no escape stands for itself (`/flows/name/my%flow`),
 * bytes that are no UTF-8 become U+FFFD. The router would refuse the address otherwise.
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
