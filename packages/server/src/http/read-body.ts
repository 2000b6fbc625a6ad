import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Fault, InvalidRequest, unsupportedBody } from '../errors.ts'
import { parseJson } from '../lib/json.ts'
import { isObject, JsonSyntaxError } from '../lib/json-exact.ts'
import type { Route } from '../lib/route.ts'
import { oversize } from './json-size.ts'
import type { Reader } from './reader.ts'

/** Half a million: what 16 MiB of ordinary JSON hold. Reading so many takes a third of a second. */
const valuesMax = 500_000

/** Bodies come as text: how they are read depends on the route. */
export function takeBodiesAsText(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body: Buffer, done) => {
    // Decoding would quietly put another character for every byte that is none.
    if (isUtf8(body)) done(null, withoutMark(body.toString('utf8')))
    else done(noJson('The body is not UTF-8', body.toString('utf8').indexOf('\ufffd')), undefined)
  })
}

/** Some programs put the mark of an order of bytes before what they write, which UTF-8 does not have. */
const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)

/** Clients send plain bodies; one that is packed is refused before it is read, since its true size shows only when it is unpacked. */
export function refusePacked(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding']
  if (encoding === undefined || /^(?:\s*identity\s*)?$/i.test(encoding)) return
  throw unsupportedBody(`the encoding ${JSON.stringify(encoding)} is not taken, only plain bodies are`)
}

/**
 * A body of several parameters is read as JSON whatever it is called; a body that is one object only when it is called JSON
 * (or nothing at all). An empty body is no body.
 */
export function bodyReader(route: Route, read: Reader, depthMax: number): (request: FastifyRequest, faults: Fault[], later: LaterFault[]) => unknown {
  const isParameters = (route.body as { 'x-parameters'?: boolean })['x-parameters'] === true
  // Without the body that names them, `bulk_delete` would take the first fifty of everything.
  const isChange = route.scope.endsWith(':write')
  const properties = (route.body as { properties?: Record<string, { 'x-own'?: boolean }> }).properties ?? {}
  // Of what is ours alone nobody who knows the v3 API would expect to hear.
  const names = Object.keys(properties).filter((name) => !properties[name]?.['x-own'])
  return (request, faults, later) => {
    const text = (request.body as string | undefined) ?? ''
    const isJson = isJsonType(request.headers['content-type'])
    const sent =
      text.trim() === '' || !(isJson || isParameters) ? undefined : isJson || isChange ? parse(text, depthMax) : parseIfJson(text, depthMax)
    if (sent === undefined || (sent === null && (isParameters || route.bodyOptional))) {
      if (isParameters) return read({}, ['body'], faults)
      if (route.bodyOptional) return undefined
      faults.push({ loc: ['body'], type: 'missing', msg: 'Field required', input: null })
      return undefined
    }
    // Something that holds no parameters lacks every one of them, those with a default too.
    if (isParameters && !isObject(sent)) {
      for (const name of names) faults.push({ loc: ['body', name], type: 'missing', msg: 'Field required', input: null })
      return undefined
    }
    const wrong = isObject(sent) ? route.wrongAsWhole?.(sent) : undefined
    if (wrong instanceof Promise) {
      const fault = wrong.then((msg) => (msg === undefined ? undefined : wholeFault(msg)))
      // The request may be refused before anybody waits for it.
      fault.catch(() => {})
      later.push(fault)
    }
    if (typeof wrong !== 'string') return read(sent, ['body'], faults)
    faults.push(wholeFault(wrong))
    return undefined
  }
}

/** A body that is called nothing is taken for JSON. */
export const isJsonType = (type: string | undefined): boolean => type === undefined || /^application\/(?:[\w.+-]+\+)?json/i.test(type)

/** A fault of the body as a whole that takes time to find. */
export type LaterFault = Promise<Fault | undefined>

const wholeFault = (msg: string): Fault => ({ loc: ['body'], type: 'value_error', msg, ctx: { error: msg } })

/** A body that is called something else may be something else, and is then none. */
function parseIfJson(text: string, depthMax: number): unknown {
  try {
    const sent = parse(text, depthMax)
    return isObject(sent) ? sent : undefined
  } catch (error) {
    if (error instanceof InvalidRequest) return undefined
    throw error
  }
}

function parse(text: string, depthMax: number): unknown {
  try {
    const tooMuch = oversize(text, depthMax, valuesMax)
    if (tooMuch !== undefined) throw new InvalidRequest([{ loc: ['body'], ...tooMuch }])
    // The depth was judged.
    return parseJson(text, Number.POSITIVE_INFINITY)
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw noJson(error.message, error.position)
    // A single string or number of many million characters can be more than the exact reader has room for.
    if (error instanceof RangeError) throw new InvalidRequest([{ loc: ['body'], type: 'json_too_large', msg: 'The JSON is too large to be read' }])
    throw error
  }
}

const noJson = (reason: string, position: number): InvalidRequest =>
  new InvalidRequest([{ loc: ['body', position], type: 'json_invalid', msg: 'JSON decode error', input: {}, ctx: { error: reason } }])
