import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { startInMemoryApp } from './in-memory-app.ts'

type Json = Record<string, unknown>
type Operation = {
  operationId: string
  summary: string
  tags: string[]
  parameters: { name: string; in: string; required: boolean; schema: Json }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>
}
interface Document {
  openapi: string
  info: { title: string; version: string }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json>; responses: Record<string, Json> }
}

async function readDocument(): Promise<{ document: Document; operations: [name: string, operation: Operation][] }> {
  const app = await startInMemoryApp()
  const { body: document } = await app.call('GET', '/openapi.json')
  expect((await app.call('GET', '/api/openapi.json')).body).toEqual(document)
  const operations = Object.entries((document as Document).paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  )
  return { document, operations }
}

/** Everything within that is an object. */
function* walkValues(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Json
  for (const inner of Object.values(value)) yield* walkValues(inner)
}

test('has title, version and server', async () => {
  const { document } = await readDocument()
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Millrace', version: 'v3' }, servers: [{ url: '/api' }] })
})

test('gives every operation a unique id, a summary, a tag and a response', async () => {
  const { operations } = await readDocument()
  expect(operations.length).toBeGreaterThan(150)
  const ids = operations.map(([, { operationId }]) => operationId)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(ids.filter((id) => !/^\w+$/.test(id))).toEqual([])
  expect(operations.filter(([, { summary, tags }]) => !summary || tags.length !== 1).map(([name]) => name)).toEqual([])
  expect(operations.filter(([, { responses }]) => !Object.keys(responses).some((status) => /^2\d\d$/.test(status))).map(([name]) => name)).toEqual([])
})

test('lists exactly the parameters of each path', async () => {
  const { operations } = await readDocument()
  for (const [name, { parameters }] of operations) {
    const named = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter).sort()
    const given = parameters.filter((parameter) => parameter.in === 'path')
    expect([name, given.map((parameter) => parameter.name).sort()]).toEqual([name, named])
    expect(given.every(({ required }) => required)).toBe(true)
    expect(parameters.filter((parameter) => !['path', 'query', 'header'].includes(parameter.in))).toEqual([])
  }
})

test('resolves every reference and has no unused component', async () => {
  const { document } = await readDocument()
  const used = new Set([...walkValues(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : [])))
  const { schemas, responses } = document.components
  const known = Object.entries({ schemas, responses }).flatMap(([kind, parts]) => Object.keys(parts).map((name) => `#/components/${kind}/${name}`))
  expect([...used].filter((ref) => !known.includes(ref))).toEqual([])
  expect(known.filter((ref) => !used.has(ref))).toEqual([])
})

test('contains only JSON Schema 2020-12, without our annotations', async () => {
  const { document, operations } = await readDocument()
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const schemas = operations.flatMap(([, { parameters, requestBody, responses }]) => [
    ...parameters.map(({ schema }) => schema),
    ...[requestBody, ...Object.values(responses)].flatMap((part) => Object.values(part?.content ?? {}).map(({ schema }) => schema)),
  ])
  for (const schema of [...Object.values(document.components.schemas), ...schemas]) {
    expect([schema, ajv.validateSchema(schema)]).toEqual([schema, true])
    expect([...walkValues(schema)].flatMap(Object.keys).filter((key) => key.startsWith('x-') || key.startsWith('~') || key === '$id')).toEqual([])
  }
})

test('marks a body as optional exactly if the server accepts none', async () => {
  const app = await startInMemoryApp()
  const { operations } = await readDocument()
  for (const [name, { requestBody }] of operations.filter(([, operation]) => operation.requestBody)) {
    const [method, path] = name.split(' ') as [string, string]
    const url = path.replace('{countable}', 'day').replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000')
    const { status, body } = await app.call(method.toUpperCase(), url)
    const isMissed = status === 422 && body.detail.some(({ type, loc }: { type: string; loc: string[] }) => type === 'missing' && loc[0] === 'body')
    expect([name, isMissed]).toEqual([name, requestBody?.required])
  }
})
