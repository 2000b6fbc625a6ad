import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
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

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the budget that the body holds until the response is sent. */
    bodyBytes: number
  }
}

/** Receives bodies as text. The route decides how they are parsed. */
export function receiveBodies(app: FastifyInstance, options: BodyOptions): void {
  const timer = bodyTimer(options.bodyTimeoutSeconds)
  app.decorateRequest('bodyBytes', 0)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, stream, done) => {
    receiveBody(request, stream, options, timer, done)
  })
  // A large body stays in memory, as text and as values, until the response is sent.
  app.addHook('preHandler', (request, reply, done) => {
    const { bodyBytes } = request
    if (bodyBytes > 0) onResponseEnd(reply, () => options.bodyBudget.release(bodyBytes))
    done()
  })
}

/** Rejects compressed bodies before they are read: their real size is only known after decompression. No client sends them. */
export function rejectCompressed(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding']
  if (encoding === undefined || /^(?:\s*identity\s*)?$/i.test(encoding)) return
  throw unsupportedBody(`the encoding ${JSON.stringify(encoding)} is not supported. Send the body uncompressed.`)
}

type Done = (error: Error | null, body?: string) => void

function receiveBody(request: FastifyRequest, stream: Readable, options: BodyOptions, timer: BodyTimer, done: Done): void {
  const { bodyBudget } = options
  const length = Number(request.headers['content-length'])
  const bytesMax = length <= smallBytes ? options.bodyBytesMax : request.routeOptions.bodyLimit
  if (length > bytesMax) {
    done(bodyTooLarge(String(bytesMax)))
    return
  }

  const chunks: Buffer[] = []
  let received = 0
  let held = 0
  const progress = timer.watch(() => end(bodyTooSlow()))

  function onData(chunk: Buffer): void {
    const cost = chunk.length + chunkBytes
    received += chunk.length
    progress.bytes = received
    if (received > bytesMax) end(bodyTooLarge(String(bytesMax)))
    else if (!bodyBudget.tryAcquire(cost, held)) end(bodyMemoryFull())
    else {
      held += cost
      chunks.push(chunk)
      if (received > smallBytes) readChunkPerTurn(stream)
    }
  }
  const onEnd = () => end(Number.isNaN(length) || received === length ? null : badRequest('Body length does not match Content-Length'))
  const onError = () => end(badRequest('The connection closed before the end of the body'))

  function end(error: Error | null): void {
    timer.forget(progress)
    stream.off('data', onData).off('end', onEnd).off('error', onError).off('close', onError)
    // A later error of the stream must not be unhandled.
    if (error) stream.pause().on('error', () => {})
    if (error === null && held > smallBytes) request.bodyBytes = held
    else bodyBudget.release(held)
    if (error) done(error)
    else decode(chunks, done)
  }

  stream.on('data', onData).on('end', onEnd).on('error', onError).on('close', onError)
  stream.resume()
}

/** Reads one chunk per turn of the event loop. Otherwise up to 2 MB of each connection are read at once. */
export function readChunkPerTurn(stream: Readable): void {
  stream.pause()
  setImmediate(() => stream.resume())
}

function decode(chunks: readonly Buffer[], done: Done): void {
  const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
  const text = body.toString('utf8')
  // `toString` silently replaces invalid bytes.
  if (isUtf8(body)) done(null, stripByteOrderMark(text))
  else done(invalidJson('The body is not UTF-8', text.indexOf('\ufffd')))
}

/** Some programs write a byte order mark before UTF-8. */
const stripByteOrderMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)

interface BodyProgress {
  /** Bytes received so far, and at the last check. */
  bytes: number
  seen: number
  checks: number
  readonly fail: () => void
}

interface BodyTimer {
  watch(fail: () => void): BodyProgress
  forget(progress: BodyProgress): void
}

/** Rejects bodies that are idle or too slow. One timer checks all of them, twice per timeout. */
function bodyTimer(timeoutSeconds: number): BodyTimer {
  const bodies = new Set<BodyProgress>()
  const everySeconds = timeoutSeconds / 2
  let isSet = false

  function check(): void {
    for (const body of bodies) {
      body.checks += 1
      const isIdle = body.bytes === body.seen && body.checks > 1
      const isSlow = body.checks > 2 && body.bytes < (body.checks - 1) * everySeconds * bytesPerSecondMin
      body.seen = body.bytes
      if (isIdle || isSlow) body.fail()
    }
    isSet = false
    schedule()
  }
  function schedule(): void {
    if (isSet || bodies.size === 0) return
    isSet = true
    afterSeconds(everySeconds, check)
  }
  return {
    watch(fail) {
      const progress = { bytes: 0, seen: 0, checks: 0, fail }
      bodies.add(progress)
      schedule()
      return progress
    },
    forget: (progress) => void bodies.delete(progress),
  }
}
