import { expect, test } from 'vitest'
import { seededRandom } from '../../src/lib/random.ts'
import { isFullProof, proofSize, reportFigures } from '../proof-size.ts'
import { eachDialect, type TestApp } from '../setup.ts'
import { createRandomValues, type RandomValues, type Schema } from './random-values.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: Schema
}
interface Operation {
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
  readonly responses: Readonly<Record<string, unknown>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** FUZZ_SEED repeats a failed run. A failure names its seed. */
const seed = Number(process.env.FUZZ_SEED ?? 1)
const rounds = proofSize(3, 100)

/** Requests that wait for a slot are answered at once. */
const noWait = { prefer: 'wait=0' }

interface FuzzRequest {
  readonly method: string
  readonly url: string
  readonly body: unknown
}

function makeRequest(values: RandomValues, path: string, method: string, operation: Operation): FuzzRequest {
  const { parameters, requestBody } = operation
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const text = values.text(parameters.find((one) => one.in === 'path' && one.name === name)?.schema ?? {})
    return encodeText(text) || 'x'
  })
  const query = parameters
    .filter((one) => one.in === 'query' && (one.required ? values.chance(0.9) : values.chance(0.3)))
    .map(({ name, schema }) => `${encodeText(name)}=${encodeText(values.text(schema))}`)
  const schema = requestBody?.content['application/json'].schema
  const body = schema && (values.chance(0.6) ? values.valid(schema) : values.invalid(schema))
  return { method: method.toUpperCase(), url: `/api${url}${query.length > 0 ? `?${query.join('&')}` : ''}`, body }
}

/** A lone surrogate cannot be encoded. */
const encodeText = (text: string): string => encodeURIComponent(text.toWellFormed())

/** Sends requests to every operation. Ids of responses are used in later requests, so that some of them exist. */
async function fuzz(app: TestApp): Promise<{ problems: string[]; statuses: Map<number, number> }> {
  const { body } = await app.call('GET', '/openapi.json')
  const document = body as Document
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const ids = ['00000000-0000-0000-0000-000000000000', '01980000-0000-7000-8000-000000000001']
  const values = createRandomValues(seededRandom(seed), document.components.schemas, ids)
  const problems: string[] = []
  const statuses = new Map<number, number>()
  for (let round = 0; round < rounds; round += 1) {
    for (const { path, method, operation } of operations) {
      const request = makeRequest(values, path, method, operation)
      const payload =
        request.body === undefined ? {} : { payload: JSON.stringify(request.body), headers: { 'content-type': 'application/json', ...noWait } }
      const response = await app.server.inject({ method: request.method as 'GET', url: request.url, headers: noWait, ...payload })
      const { statusCode: status, body: text, headers } = response
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const report = (what: string) =>
        problems.push(`seed ${seed}: ${request.method} ${request.url} ${JSON.stringify(request.body)}: ${status} ${what}`)
      if (status >= 500 || !(status in operation.responses)) report(text.slice(0, 300))
      if (text !== '' && String(headers['content-type']).startsWith('application/json') && !isJson(text)) report('is not JSON')
      const id = /"id":"([\da-f-]{36})"/.exec(text)?.[1]
      if (status < 300 && id && ids.length < 100) ids.push(id)
    }
  }
  return { problems, statuses }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

eachDialect('random requests', (setup) => {
  test('get documented statuses and JSON, and never an error of the server', { timeout: isFullProof ? 600_000 : 60_000 }, async () => {
    const app = await setup()
    const { problems, statuses } = await fuzz(app)
    reportFigures(`responses by status: ${JSON.stringify([...statuses].sort())}`)
    expect(problems).toEqual([])
    // Otherwise the values are too bad to get past validation.
    expect(statuses.get(200) ?? 0).toBeGreaterThan(50)
    expect(statuses.get(201) ?? 0).toBeGreaterThan(10)
  })
})
