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
  /** How long a body may bring nothing, or less than the least rate. */
  readonly bodyTimeoutSeconds: number
}

/** A client on the worst line sends faster. Counted over the whole body once its first time-out is over. */
const bytesPerSecondMin = 4096

/** What a chunk costs beside its bytes: a client may send a body in chunks of one byte. */
const chunkBytes = 256

declare module 'fastify' {
  interface FastifyRequest {
    /** What the body holds of the budget until the answer is sent. */
    bodyBytes: number
  }
}

/** Receives bodies as text: how they are read depends on the route. */
export function receiveBodies(app: FastifyInstance, options: BodyOptions): void {
  const timer = bodyTimer(options.bodyTimeoutSeconds)
  app.decorateRequest('bodyBytes', 0)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, stream, done) => {
    receiveBody(request, stream, options, timer, done)
  })
  // A large body is held, as text and as what was read of it, until the request is answered.
  app.addHook('preHandler', (request, reply, done) => {
    const { bodyBytes } = request
    if (bodyBytes > 0) onResponseEnd(reply, () => options.bodyBudget.release(bodyBytes))
    done()
  })
}

/** Clients send plain bodies; one that is packed is refused before it is read, since its true size shows only when it is unpacked. */
export function rejectCompressed(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding']
  if (encoding === undefined || /^(?:\s*identity\s*)?$/i.test(encoding)) return
  throw unsupportedBody(`the encoding ${JSON.stringify(encoding)} is not taken, only plain bodies are`)
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
  const watched = timer.watch(() => end(bodyTooSlow()))

  function onData(chunk: Buffer): void {
    const cost = chunk.length + chunkBytes
    received += chunk.length
    watched.bytes = received
    if (received > bytesMax) end(bodyTooLarge(String(bytesMax)))
    else if (!bodyBudget.tryAcquire(cost, held)) end(bodyMemoryFull())
    else {
      held += cost
      chunks.push(chunk)
      if (received > smallBytes) readChunkPerTurn(stream)
    }
  }
  const onEnd = () =>
    end(Number.isNaN(length) || received === length ? null : badRequest('The body is not as long as the header Content-Length says'))
  const onError = () => end(badRequest('The connection ended before the body did'))

  function end(error: Error | null): void {
    timer.forget(watched)
    stream.off('data', onData).off('end', onEnd).off('error', onError).off('close', onError)
    // Whoever waits for the rest must not fail on what the stream says later.
    if (error) stream.pause().on('error', () => {})
    if (error === null && held > smallBytes) request.bodyBytes = held
    else bodyBudget.release(held)
    if (error) done(error)
    else decode(chunks, done)
  }

  stream.on('data', onData).on('end', onEnd).on('error', onError).on('close', onError)
  stream.resume()
}

/** Reads one chunk in each turn of the event loop. Otherwise two megabytes of each connection are read at once, if they are there. */
export function readChunkPerTurn(stream: Readable): void {
  stream.pause()
  setImmediate(() => stream.resume())
}

function decode(chunks: readonly Buffer[], done: Done): void {
  const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
  const text = body.toString('utf8')
  // Decoding quietly puts another character for every byte that is none.
  if (isUtf8(body)) done(null, stripByteOrderMark(text))
  else done(invalidJson('The body is not UTF-8', text.indexOf('\ufffd')))
}

/** Some programs put the mark of an order of bytes before what they write, which UTF-8 does not have. */
const stripByteOrderMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)

interface BodyProgress {
  /** What was received so far, and when it was looked at last. */
  bytes: number
  seen: number
  checks: number
  readonly fail: () => void
}

interface BodyTimer {
  watch(fail: () => void): BodyProgress
  forget(watched: BodyProgress): void
}

/** Ends bodies that bring nothing, or too little, for the time-out. One timer looks at all of them, twice in that time. */
function bodyTimer(timeoutSeconds: number): BodyTimer {
  const all = new Set<BodyProgress>()
  const everySeconds = timeoutSeconds / 2
  let isSet = false

  function look(): void {
    for (const one of all) {
      one.checks += 1
      const isIdle = one.bytes === one.seen && one.checks > 1
      const isSlow = one.checks > 2 && one.bytes < (one.checks - 1) * everySeconds * bytesPerSecondMin
      one.seen = one.bytes
      if (isIdle || isSlow) one.fail()
    }
    isSet = false
    schedule()
  }
  function schedule(): void {
    if (isSet || all.size === 0) return
    isSet = true
    afterSeconds(everySeconds, look)
  }
  return {
    watch(fail) {
      const watched = { bytes: 0, seen: 0, checks: 0, fail }
      all.add(watched)
      schedule()
      return watched
    },
    forget: (watched) => void all.delete(watched),
  }
}
