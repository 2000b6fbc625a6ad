import { lookup as systemLookup } from 'node:dns/promises'
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './ip-address.ts'
import { afterSeconds } from './time.ts'

/** A call to an address that a person has set. */
export interface OutboundRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutSeconds?: number
  /** False to trust any certificate. */
  readonly verify?: boolean
}

export interface OutboundResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** As much of it as is worth keeping. */
  readonly body: string
}

interface Address {
  readonly address: string
  readonly family: number
}

export interface OutboundOptions {
  /** Whether the server's own network may be reached. */
  readonly allowPrivate: boolean
  /** Which addresses a name has. */
  readonly resolve?: (name: string) => Promise<readonly Address[]>
  /** Which addresses may be reached when not all may. */
  readonly isAllowed?: (address: string) => boolean
}

/** Why a call was not made. The address it would have reached is not told: that too would say something of the network. */
export class OutboundRejected extends Error {}

const bodyBytesMax = 64 * 1024
const defaultTimeoutSeconds = 30

/**
 * Calls an address outside. The address that is really connected to is the one that was checked: names are resolved once, every address they have must be
 * allowed, and the connection goes to one of these, so that a name that changes its address in between gains nothing. Redirects are not followed;
 * connections are not kept.
 */
export async function sendOutbound(asked: OutboundRequest, options: OutboundOptions): Promise<OutboundResponse> {
  const url = parseUrl(asked.url)
  const isAllowed = options.allowPrivate ? () => true : (options.isAllowed ?? isPublicAddress)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // An address in place of a name is never looked up, so that it is judged here. URLs spell all forms of it (octal, decimal) the usual way.
  if (isIP(host) !== 0 && !isAllowed(host)) throw privateAddressError()
  const ending = new AbortController()
  const timeout = asked.timeoutSeconds ?? defaultTimeoutSeconds
  const disarm = afterSeconds(timeout, () => ending.abort(new Error(`No answer within ${timeout} seconds`)))
  try {
    return await send(url, asked, checkedLookup(options.resolve ?? resolveAll, isAllowed), isAllowed, ending.signal)
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

const privateAddressError = () => new OutboundRejected('The URL leads to a private address, which webhooks and notifications may not reach')

const resolveAll = (name: string): Promise<readonly Address[]> => systemLookup(name, { all: true, verbatim: true })

/** What a connection asks for the addresses of a name: it gets those that were checked, and no others. */
function checkedLookup(resolve: (name: string) => Promise<readonly Address[]>, isAllowed: (address: string) => boolean): LookupFunction {
  return (name, { all }, answer) => {
    resolve(name).then(
      (found) => {
        const [first] = found
        if (!first) answer(new OutboundRejected(`${name} has no address`), '', 0)
        else if (!found.every(({ address }) => isAllowed(address))) answer(privateAddressError(), '', 0)
        else if (all) answer(null, [...found])
        else answer(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => answer(error, '', 0),
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
      // The last word has the address at the other end, whatever came before.
      const judge = () => {
        if (socket.remoteAddress !== undefined && !isAllowed(socket.remoteAddress)) request.destroy(privateAddressError())
      }
      if (socket.connecting) socket.once('connect', judge)
      else judge()
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
