import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { badRequest, bodyMemoryFull, bodyTooLarge, bodyTooSlow, unsupportedBody } from '../errors.ts'
import { afterSeconds } from '../lib/time.ts'
import { type ByteBudget, smallBytes } from './byte-budget.ts'
import { invalidJson } from './read-body.ts'
import { onResponseEnd } from './response-end.ts'

export interface BodyOptions {
  readonly bodyBytesMax: number
  readonly bodyBudget: ByteBudget
  /** Time without data, or below the minimum rate, after which a body is rejected. */
  readonly bodyTimeoutSeconds: number
}

/** Minimum rate, which any real client exceeds. Averaged over the whole body, after the first timeout has passed. */
const bytesPerSecondMin = 4096

/** Overhead of a chunk in memory: a client may send chunks of one byte. */
const chunkBytes = 256

/** Called when `request.body` is set. */
type OnReceived = (request: FastifyRequest, reply: FastifyReply) => void

/** Receives the body as text. The route decides how it is parsed. `largeBytesMax` is the limit of the route for a body that is not small. */
export type ReceiveBody = (request: FastifyRequest, reply: FastifyReply, largeBytesMax: number, onReceived: OnReceived) => void

export function createBodyReceiver(options: BodyOptions): ReceiveBody {
  const timer = new BodyTimer(options.bodyTimeoutSeconds)
  return (request, reply, largeBytesMax, onReceived) => {
    const { headers } = request.raw
    const type = headers['content-type']
    const length = headers['content-length']
    checkMediaType(type)
    if (type === undefined && headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) onReceived(request, reply)
    else receiveBody(request, reply, largeBytesMax, options, timer, onReceived)
  }
}

/** Node reports other expectations as 417, and passes on those of HTTP/1.0 clients, which do not know the response 100. */
export const expectsContinue = ({ headers, httpVersion }: IncomingMessage): boolean => headers.expect !== undefined && httpVersion === '1.1'

const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/

/** Clients send the same type each time. */
let lastValidType: string | undefined

/** Rejects a type that is not a media type, such as `json`. A body may have no type. */
export function checkMediaType(type: string | undefined): void {
  if (type === undefined || type === lastValidType) return
  if (!mediaType.test(type)) throw unsupportedBody('the header Content-Type is not valid')
  lastValidType = type
}

/** Rejects compressed bodies before they are read: their real size is only known after decompression. No client sends them. */
export function rejectCompressed(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding']
  if (encoding === undefined || /^(?:\s*identity\s*)?$/i.test(encoding)) return
  throw unsupportedBody(`the encoding ${JSON.stringify(encoding)} is not supported. Send the body uncompressed.`)
}

function receiveBody(
  request: FastifyRequest,
  reply: FastifyReply,
  largeBytesMax: number,
  options: BodyOptions,
  timer: BodyTimer,
  onReceived: OnReceived,
): void {
  const { bodyBudget } = options
  const stream = request.raw
  const length = Number(stream.headers['content-length'])
  const bytesMax = length <= smallBytes ? options.bodyBytesMax : largeBytesMax
  if (length > bytesMax) {
    fail(bodyTooLarge(String(bytesMax)))
    return
  }

  // The client waits for this before it sends a body, if it asked (RFC 9110, 10.1.1).
  if (expectsContinue(stream)) reply.raw.writeContinue()

  let chunks: Buffer[] = []
  let received = 0
  let held = 0
  const progress = timer.watch(() => reject(bodyTooSlow()))

  function onData(chunk: Buffer): void {
    const cost = chunk.length + chunkBytes
    received += chunk.length
    progress.bytes = received
    if (received > bytesMax) reject(bodyTooLarge(String(bytesMax)))
    else if (!bodyBudget.tryAcquire(cost, held)) reject(bodyMemoryFull())
    else {
      held += cost
      chunks.push(chunk)
      if (received > smallBytes) readChunkPerTurn(stream)
    }
  }

  function onEnd(): void {
    if (!(Number.isNaN(length) || received === length)) {
      reject(badRequest('Body length does not match Content-Length'))
      return
    }
    timer.forget(progress)
    const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
    // The stream keeps its listeners, and they would keep the chunks.
    chunks = []
    // A large body stays in memory, as text and as values, until the response is sent.
    if (held > smallBytes) onResponseEnd(reply, () => bodyBudget.release(held))
    else bodyBudget.release(held)
    const text = body.toString('utf8')
    // `toString` silently replaces invalid bytes.
    if (isUtf8(body)) {
      request.body = stripByteOrderMark(text)
      onReceived(request, reply)
    } else fail(invalidJson('The body is not UTF-8', text.indexOf('\ufffd')))
  }

  /** Node emits an error of a request only to listeners, and then emits `close`. Every request emits `close`, also after its end. */
  function onClose(): void {
    if (progress.isWatched) reject(badRequest('The connection closed before the end of the body'))
  }

  function reject(error: Error): void {
    timer.forget(progress)
    stream.off('data', onData).off('end', onEnd).off('close', onClose).pause()
    bodyBudget.release(held)
    fail(error)
  }

  function fail(error: Error): void {
    // The client may send more of the body.
    reply.header('connection', 'close').send(error)
  }

  stream.on('data', onData).on('end', onEnd).on('close', onClose)
}

/** Reads one chunk per turn of the event loop. Otherwise up to 2 MB of each connection are read at once. */
export function readChunkPerTurn(stream: Readable): void {
  stream.pause()
  setImmediate(() => stream.resume())
}

/** Some programs write a byte order mark before UTF-8. */
const stripByteOrderMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)

/** A body in the list of the timer. */
class BodyProgress {
  /** Bytes received so far, and at the last check. */
  bytes = 0
  seen = 0
  checks = 0
  isWatched = true
  before: BodyProgress | undefined
  after: BodyProgress | undefined
  readonly fail: () => void

  constructor(fail: () => void) {
    this.fail = fail
  }
}

/**
 * Rejects bodies that are idle or too slow. One timer checks all of them, twice per timeout. The bodies are a linked list: each request is added and
 * removed, which takes longer in a set.
 */
class BodyTimer {
  readonly #everySeconds: number
  #first: BodyProgress | undefined
  #isSet = false

  constructor(timeoutSeconds: number) {
    this.#everySeconds = timeoutSeconds / 2
  }

  watch(fail: () => void): BodyProgress {
    const progress = new BodyProgress(fail)
    progress.after = this.#first
    if (this.#first) this.#first.before = progress
    this.#first = progress
    if (!this.#isSet) this.#schedule()
    return progress
  }

  forget(progress: BodyProgress): void {
    if (!progress.isWatched) return
    const { before, after } = progress
    if (before) before.after = after
    else this.#first = after
    if (after) after.before = before
    progress.isWatched = false
  }

  #check(): void {
    for (let body = this.#first; body; ) {
      // A failing body leaves the list.
      const { after } = body
      body.checks += 1
      const isIdle = body.bytes === body.seen && body.checks > 1
      const isSlow = body.checks > 2 && body.bytes < (body.checks - 1) * this.#everySeconds * bytesPerSecondMin
      body.seen = body.bytes
      if (isIdle || isSlow) body.fail()
      body = after
    }
    this.#isSet = false
    if (this.#first) this.#schedule()
  }

  #schedule(): void {
    this.#isSet = true
    afterSeconds(this.#everySeconds, () => this.#check())
  }
}
