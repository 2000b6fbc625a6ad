import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Route } from '../../src/lib/route.ts'
import type { TestApp } from '../setup.ts'

type Json = Record<string, unknown>

/** Calls the server, and says of each answer how it differs from what the document promises. */
export interface ResponseChecker {
  /** The body of a successful answer. */
  // biome-ignore lint/suspicious/noExplicitAny: what the walk picks out of answers is checked by the document
  call(method: string, path: string, body?: unknown): Promise<any>
  /** The body of a refusal. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  callExpectingError(method: string, path: string, body?: unknown): Promise<any>
  /** Where answers differ from the document. */
  readonly differences: string[]
  /** The operations that were never answered with success. */
  listUntestedOperations(): string[]
}

const formats: Record<string, RegExp> = {
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  // As existing clients read them: with microseconds where there are any, and a zone.
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/,
}

export async function createResponseChecker(app: TestApp): Promise<ResponseChecker> {
  const { body: document } = await app.call('GET', '/openapi.json')
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { ...formats, 'time-delta': true, uri: true, 'uri-reference': true } })
  ajv.addSchema({ $id: 'api', ...forbidUnknownFields(document) })
  const tried = new Set<string>()
  const differences: string[] = []

  async function answerOf(method: string, path: string, sent: unknown) {
    const route = app.routes.find((one) => one.method === method && matchesPattern(one.path, path))
    if (!route) throw new Error(`no route takes ${method} ${path}`)
    const answer = await app.server.inject({
      method: method as 'GET',
      url: `/api${path}`,
      ...(sent === undefined ? {} : { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(sent) }),
    })
    return { ...answer, route, name: `${method} ${route.path}`, status: answer.statusCode, text: answer.body }
  }

  function check(name: string, route: Route, status: number, text: string): unknown {
    const isNamed = status >= 400 && status !== 422
    const place = isNamed
      ? `components/responses/Error${status}`
      : `paths/${escapePointer(documentPath(route))}/${route.method.toLowerCase()}/responses/${status}`
    const validate = ajv.compile({ $ref: `api#/${place}/content/application~1json/schema` })
    const value: unknown = JSON.parse(text)
    validate(value)
    differences.push(...(validate.errors ?? []).map((error) => `${name}: ${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`))
    return value
  }

  return {
    differences,
    async call(method, path, sent) {
      const { name, route, status, text, headers } = await answerOf(method, path, sent)
      // The next steps stand on this one.
      if (status < 200 || status > 299) throw new Error(`${name} answered ${status} ${text}`)
      tried.add(name)
      const documented = documentedResponses(document, route)[status]
      if (!documented) differences.push(`${name}: ${status} is not promised`)
      if (!documented?.content) {
        if (text !== '') differences.push(`${name}: a body is not promised`)
        return undefined
      }
      // Texts and files are announced as texts; there is no shape to check.
      if (!String(headers['content-type']).startsWith('application/json')) return text
      return check(name, route, status, text)
    },
    async callExpectingError(method, path, sent) {
      const { name, route, status, text } = await answerOf(method, path, sent)
      if (status < 400) throw new Error(`${name} answered ${status}`)
      if (!documentedResponses(document, route)[status]) differences.push(`${name}: ${status} is not promised`)
      return check(name, route, status, text)
    },
    listUntestedOperations: () =>
      app.routes
        .filter((route) => Object.keys(documentedResponses(document, route)).length > 0)
        .map(({ method, path }) => `${method} ${path}`)
        .filter((name) => !tried.has(name)),
  }
}

/** Exactly what is promised: a field that the document does not name is a field that nobody can rely on. */
function forbidUnknownFields(part: unknown): Json {
  if (typeof part !== 'object' || part === null) return part as never
  if (Array.isArray(part)) return part.map(forbidUnknownFields) as never
  const made: Json = Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, forbidUnknownFields(inner)]))
  const isOpen =
    made.type === 'object' && made.properties !== undefined && made.additionalProperties === undefined && made.patternProperties === undefined
  return isOpen ? { ...made, additionalProperties: false } : made
}

function documentedResponses(
  document: { paths: Record<string, Json> },
  route: { method: string; path: string },
): Record<string, { content?: Json } | undefined> {
  const operation = document.paths[documentPath(route)]?.[route.method.toLowerCase()] as { responses?: object } | undefined
  return (operation?.responses ?? {}) as Record<string, { content?: Json }>
}

const documentPath = ({ path }: { path: string }): string => path.replaceAll(/:(\w+)/g, '{$1}')

const escapePointer = (path: string): string => encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Words before parameters, as the router has it: `/flows/filter` is not `/flows/:id`. */
function matchesPattern(pattern: string, path: string): boolean {
  const wanted = pattern.replace(/\/$/, '').split('/')
  const given = (path.split('?')[0] as string).replace(/\/$/, '').split('/')
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index])
}
