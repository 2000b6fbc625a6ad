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

/** A request that only asks brings filters, which have some thousand values at most. */
export const isQuery = ({ scope }: Pick<Route, 'scope'>): boolean => scope.endsWith(':read')
export const queryBytesMax = 2 * 1024 * 1024
const queryValuesMax = 50_000

interface BodyReader {
  /** What was sent, or a promise of it when it is large; undefined for no body. */
  parse(request: FastifyRequest, reply: FastifyReply): unknown
  read(sent: unknown, faults: Fault[], later: AsyncFault[]): unknown
  /** The same for what is large: a list is read in slices. */
  readLarge(sent: unknown, faults: Fault[], later: AsyncFault[]): Promise<unknown>
}

/** Items of a list that are read before others get a turn: some milliseconds. */
const itemsPerSlice = 250

/**
 * A body of several parameters is read as JSON whatever it is called; a body that is one object only when it is called JSON
 * (or nothing at all). An empty body is no body.
 */
export function bodyReader(route: Route, read: Reader, { json, valueBudget, slices }: JsonOptions): BodyReader {
  const limits = isQuery(route) ? { ...json, valuesMax: Math.min(json.valuesMax, queryValuesMax) } : json
  const isParameters = (route.body as { 'x-parameters'?: boolean })['x-parameters'] === true
  // Without the body that names them, `bulk_delete` would take the first fifty of everything.
  const isChange = route.scope.endsWith(':write')
  const properties = (route.body as { properties?: Record<string, { 'x-own'?: boolean }> }).properties ?? {}
  // Of what is ours alone nobody who knows the v3 API would expect to hear.
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
      return isJson || isChange ? parse() : parseIfJson(parse)
    },
    read: (sent, faults, later) => {
      if (sent === undefined || (sent === null && (isParameters || route.bodyOptional))) {
        if (isParameters) return read({}, ['body'], faults)
        if (route.bodyOptional) return undefined
        faults.push({ loc: ['body'], type: 'missing', msg: 'Field required', input: null })
        return undefined
      }
      // Something that holds no parameters lacks every one of them, those with a default too.
      if (isParameters && !isJsonObject(sent)) {
        for (const name of names) faults.push({ loc: ['body', name], type: 'missing', msg: 'Field required', input: null })
        return undefined
      }
      const wrong = isJsonObject(sent) ? route.checkRawBody?.(sent) : undefined
      if (wrong instanceof Promise) {
        const fault = wrong.then((msg) => (msg === undefined ? undefined : bodyFault(msg)))
        // The request may be refused before anybody waits for it.
        fault.catch(() => {})
        later.push(fault)
      }
      if (typeof wrong !== 'string') return read(sent, ['body'], faults)
      faults.push(bodyFault(wrong))
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

/** A body that is called nothing is taken for JSON. */
export const isJsonType = (type: string | undefined): boolean => type === undefined || /^application\/(?:[\w.+-]+\+)?json/i.test(type)

/** A fault of the body as a whole that takes time to find. */
export type AsyncFault = Promise<Fault | undefined>

const bodyFault = (msg: string): Fault => ({ loc: ['body'], type: 'value_error', msg, ctx: { error: msg } })

/** A body that is called something else may be something else, and is then none. */
function parseIfJson(parse: () => unknown): unknown {
  const objectOnly = (sent: unknown) => (isJsonObject(sent) ? sent : undefined)
  const orNone = (error: unknown) => {
    if (error instanceof InvalidRequest) return undefined
    throw error
  }
  try {
    const sent = parse()
    return sent instanceof Promise ? sent.then(objectOnly, orNone) : objectOnly(sent)
  } catch (error) {
    return orNone(error)
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
  // A single string or number of many million characters can be more than the exact reader has room for.
  if (error instanceof RangeError) throw new InvalidRequest([{ loc: ['body'], type: 'json_too_large', msg: 'The JSON is too large to be read' }])
  throw error
}

export const invalidJson = (reason: string, position: number): InvalidRequest =>
  new InvalidRequest([{ loc: ['body', position], type: 'json_invalid', msg: 'JSON decode error', input: {}, ctx: { error: reason } }])
