import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { type Fault, InvalidRequest } from '../errors.ts'
import { isJsonObject, JsonSyntaxError } from '../lib/json-exact.ts'
import { type JsonLimits, JsonTooLarge } from '../lib/json-limits.ts'
import { parseReceivedJson, type ReserveValues } from '../lib/parse-large-json.ts'
import type { Route } from '../lib/route.ts'
import type { SliceScheduler } from '../lib/slice-scheduler.ts'
import type { ValueBudget } from '../lib/value-budget.ts'
import { compileReader, isFaultLimitReached, type Reader } from './compile-reader.ts'
import { onResponseEnd } from './response-end.ts'

export interface JsonOptions {
  readonly json: JsonLimits
  readonly valueBudget: ValueBudget
  readonly slices: SliceScheduler
}

/** Queries hold filters, which have a few thousand values at most. */
export const queryBytesMax = 2 * 1024 * 1024
const queryValuesMax = 50_000

interface BodyReader {
  /** The parsed JSON, or a promise of it if it is large; undefined without a body. */
  parse(request: FastifyRequest, reply: FastifyReply): unknown
  read(sent: unknown, faults: Fault[], later: AsyncFault[]): unknown
  /** Like `read`, for large bodies: lists are read in slices. */
  readLarge(sent: unknown, faults: Fault[], later: AsyncFault[]): Promise<unknown>
}

/** Items that are read before the event loop continues, a few milliseconds. */
const itemsPerSlice = 250

/**
 * A body of parameters is read as JSON with any content type; a body that is one object only with a JSON type or without a type. An empty body
 * counts as no body.
 */
export function bodyReader(route: Route, read: Reader, { json, valueBudget, slices }: JsonOptions): BodyReader {
  const limits = route.kind === 'query' ? { ...json, valuesMax: Math.min(json.valuesMax, queryValuesMax) } : json
  const isParameters = (route.body as { 'x-parameters'?: boolean })['x-parameters'] === true
  // Ignoring an unreadable body of `bulk_delete` would delete the first fifty objects.
  const rejectsUnreadable = route.kind === 'change' && !route.ignoresUnreadableBody
  const properties = (route.body as { properties?: Record<string, { 'x-own'?: boolean }> }).properties ?? {}
  // Clients of the v3 API do not know our own fields, so their absence is not reported.
  const names = Object.keys(properties).filter((name) => !properties[name]?.['x-own'])
  const { items } = route.body as { items?: TSchema }
  const readItem = items && compileReader(items)
  const reader: BodyReader = {
    parse(request, reply) {
      const text = (request.body as string | undefined) ?? ''
      const isJson = isJsonType(request.headers['content-type'])
      if (!(isJson || isParameters) || isBlank(text)) return undefined
      const beforeReading: ReserveValues = async (values) => {
        await valueBudget.acquire(values)
        onResponseEnd(reply, () => valueBudget.release(values))
      }
      const parse = () => parseBody(text, limits, slices, beforeReading)
      return isJson || rejectsUnreadable ? parse() : parseIfJson(parse)
    },
    read: (sent, faults, later) => {
      if (sent === undefined || (sent === null && (isParameters || route.bodyOptional))) {
        if (isParameters) return read({}, ['body'], faults)
        if (route.bodyOptional) return undefined
        faults.push({ loc: ['body'], type: 'missing', msg: 'Field required', input: null })
        return undefined
      }
      // As in the v3 API, a value that is not an object lacks every parameter, also those with a default.
      if (isParameters && !isJsonObject(sent)) {
        for (const name of names) faults.push({ loc: ['body', name], type: 'missing', msg: 'Field required', input: null })
        return undefined
      }
      const problem = isJsonObject(sent) ? route.checkRawBody?.(sent) : undefined
      if (problem instanceof Promise) {
        const fault = problem.then((msg) => (msg === undefined ? undefined : bodyFault(msg)))
        // The request may be rejected before this promise is awaited.
        fault.catch(() => {})
        later.push(fault)
      }
      if (typeof problem !== 'string') return read(sent, ['body'], faults)
      faults.push(bodyFault(problem))
      return undefined
    },
    async readLarge(sent, faults, later) {
      return readItem && Array.isArray(sent) ? slices.run(readInSlices(sent, readItem, faults)) : reader.read(sent, faults, later)
    },
  }
  return reader
}

function* readInSlices(sent: readonly unknown[], readItem: Reader, faults: Fault[]): Generator<void, unknown> {
  const made: unknown[] = []
  for (const [index, item] of sent.entries()) {
    if (isFaultLimitReached(faults)) return undefined
    made.push(readItem(item, ['body', index], faults))
    if (made.length % itemsPerSlice === 0) yield
  }
  return made
}

const isBlank = (text: string): boolean => !/\S/.test(text)

/** A body without a type is read as JSON. */
export const isJsonType = (type: string | undefined): boolean => type === undefined || /^application\/(?:[\w.+-]+\+)?json/i.test(type)

/** A fault of the whole body that is found asynchronously. */
export type AsyncFault = Promise<Fault | undefined>

const bodyFault = (msg: string): Fault => ({ loc: ['body'], type: 'value_error', msg, ctx: { error: msg } })

/** A body with another type counts as no body if it is not JSON. */
function parseIfJson(parse: () => unknown): unknown {
  const objectOnly = (sent: unknown) => (isJsonObject(sent) ? sent : undefined)
  const ignoreInvalid = (error: unknown) => {
    if (error instanceof InvalidRequest) return undefined
    throw error
  }
  try {
    const sent = parse()
    return sent instanceof Promise ? sent.then(objectOnly, ignoreInvalid) : objectOnly(sent)
  } catch (error) {
    return ignoreInvalid(error)
  }
}

function parseBody(text: string, limits: JsonLimits, slices: SliceScheduler, beforeReading: ReserveValues): unknown {
  try {
    const sent = parseReceivedJson(text, limits, slices, beforeReading)
    return sent instanceof Promise ? sent.catch(toInvalidRequest) : sent
  } catch (error) {
    return toInvalidRequest(error)
  }
}

function toInvalidRequest(error: unknown): never {
  if (error instanceof JsonSyntaxError) throw invalidJson(error.message, error.position)
  if (error instanceof JsonTooLarge) throw new InvalidRequest([{ loc: ['body'], type: error.type, msg: error.message }])
  // A single string or number of many million characters can exceed the maximum string length.
  if (error instanceof RangeError) throw new InvalidRequest([{ loc: ['body'], type: 'json_too_large', msg: 'JSON is too large' }])
  throw error
}

export const invalidJson = (reason: string, position: number): InvalidRequest =>
  new InvalidRequest([{ loc: ['body', position], type: 'json_invalid', msg: 'JSON decode error', input: {}, ctx: { error: reason } }])
