import { lookup as systemLookup } from 'node:dns/promises'
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './ip-address.ts'
import { afterSeconds } from './time.ts'

/** A call to a user-configured URL. */
export interface OutboundRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutSeconds?: number
  /** False accepts any certificate. */
  readonly verify?: boolean
}

export interface OutboundResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Truncated to 64 KiB. */
  readonly body: string
}

interface Address {
  readonly address: string
  readonly family: number
}

export interface OutboundOptions {
  /** Whether private addresses are allowed. */
  readonly allowPrivate: boolean
  /** Resolves a host name. */
  readonly resolve?: (name: string) => Promise<readonly Address[]>
  /** The allowed addresses unless `allowPrivate` is set. */
  readonly isAllowed?: (address: string) => boolean
}

/** Why a call was not made. The message omits the resolved address, because it would reveal the internal network. */
export class OutboundRejected extends Error {}

const bodyBytesMax = 64 * 1024
const defaultTimeoutSeconds = 30

/**
 * Calls an external URL. A host name is resolved once, all of its addresses must be allowed, and the connection uses one of them, which prevents DNS
 * rebinding. Redirects are not followed; connections are not reused.
 */
export async function sendOutbound(request: OutboundRequest, options: OutboundOptions): Promise<OutboundResponse> {
  const url = parseUrl(request.url)
  const isAllowed = options.allowPrivate ? () => true : (options.isAllowed ?? isPublicAddress)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // An IP address is never looked up, so it is checked here. `URL` normalizes all of its forms (octal, decimal).
  if (isIP(host) !== 0 && !isAllowed(host)) throw privateAddressError()
  const ending = new AbortController()
  const timeout = request.timeoutSeconds ?? defaultTimeoutSeconds
  const disarm = afterSeconds(timeout, () => ending.abort(new Error(`No response within ${timeout} seconds`)))
  try {
    return await send(url, request, checkedLookup(options.resolve ?? resolveAll, isAllowed), isAllowed, ending.signal)
  } finally {
    disarm()
  }
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '')
    throw new OutboundRejected('Only http and https URLs can be called')
  return url
}

const privateAddressError = () => new OutboundRejected('The URL resolves to a private address, which webhooks and notifications may not reach')

const resolveAll = (name: string): Promise<readonly Address[]> => systemLookup(name, { all: true, verbatim: true })

/** The DNS lookup of a connection. Returns checked addresses only. */
function checkedLookup(resolve: (name: string) => Promise<readonly Address[]>, isAllowed: (address: string) => boolean): LookupFunction {
  return (name, { all }, callback) => {
    resolve(name).then(
      (found) => {
        const [first] = found
        if (!first) callback(new OutboundRejected(`${name} has no address`), '', 0)
        else if (!found.every(({ address }) => isAllowed(address))) callback(privateAddressError(), '', 0)
        else if (all) callback(null, [...found])
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    )
  }
}

function send(
  url: URL,
  { method, headers = {}, body = '', verify = true }: OutboundRequest,
  lookup: LookupFunction,
  isAllowed: (address: string) => boolean,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  return new Promise((resolve, reject) => {
    const make = url.protocol === 'https:' ? secureRequest : plainRequest
    const content = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const named = { 'user-agent': 'millrace', ...lowerCased(headers), ...content }
    const request: ClientRequest = make(url, { method, headers: named, lookup, agent: false, signal, rejectUnauthorized: verify })
    request.on('socket', (socket) => {
      // Checks the connected address as a last safeguard.
      const checkAddress = () => {
        if (socket.remoteAddress !== undefined && !isAllowed(socket.remoteAddress)) request.destroy(privateAddressError())
      }
      if (socket.connecting) socket.once('connect', checkAddress)
      else checkAddress()
    })
    request.on('error', (error) => reject(signal.aborted ? signal.reason : error))
    request.on('response', (response) => read(response).then(resolve, (error) => reject(signal.aborted ? signal.reason : error)))
    request.end(body)
  })
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

async function read(response: IncomingMessage): Promise<OutboundResponse> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes >= bodyBytesMax) break
  }
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
  return { status: response.statusCode ?? 0, headers, body: Buffer.concat(pieces).subarray(0, bodyBytesMax).toString('utf8') }
}
