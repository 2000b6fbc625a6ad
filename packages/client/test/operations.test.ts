import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MillraceClient } from '../src/client.ts'
import { OperationGroup } from '../src/nouns/operation-group.ts'

interface Operation {
  readonly requestBody?: unknown
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[]
}

const document = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')) as {
  readonly paths: Record<string, Record<string, Operation>>
}

/** Fills the parts of a path by their position, so that methods must pass their arguments in this order. */
const fillByPosition = (path: string): string => {
  let position = 0
  return path.replaceAll(/\{\w+\}/g, () => `part${++position}`)
}

const operations = new Map<string, Operation>(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${fillByPosition(path.replace(/^\/api/, ''))}`, operation] as const,
    ),
  ),
)

/** Methods that are more than one operation. */
const iterators = ['listAll', 'listAllLatest', 'listAllInPool', 'subscribe', 'openReportStream']

interface Call {
  readonly name: string
  readonly operation: string
  readonly hasBody: boolean
}

/** An argument that can be a text, an object or a list. */
const anything = (text: string) => Object.assign([], { toString: () => text, state: {} }) as never

async function callEveryMethod(): Promise<Call[]> {
  const calls: Call[] = []
  let name = ''
  const client = new MillraceClient({
    url: 'http://test/api',
    fetch: async (url, { method, body }) => {
      calls.push({ name, operation: `${method} ${new URL(url).pathname.replace(/^\/api/, '')}`, hasBody: body !== undefined })
      return new Response('null')
    },
  })
  for (const [noun, group] of Object.entries(client)) {
    if (!(group instanceof OperationGroup)) continue
    const prototype = Object.getPrototypeOf(group) as Record<string, (...given: never[]) => Promise<unknown>>
    for (const method of Object.getOwnPropertyNames(prototype)) {
      if (method === 'constructor' || iterators.includes(method)) continue
      name = `${noun}.${method}`
      await prototype[method]?.call(group, anything('part1'), anything('part2'), anything('part3'), anything('part4'))
    }
  }
  return calls
}

test('has exactly one method for every operation of the OpenAPI document, and no other', async () => {
  const calls = await callEveryMethod()
  expect(operations.size, 'two paths of the document have the same shape').toBe(
    Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length,
  )
  const namesByOperation = Map.groupBy(calls, ({ operation }) => operation)
  expect({
    missing: [...operations.keys()].filter((operation) => !namesByOperation.has(operation)),
    unknown: calls.filter(({ operation }) => !operations.has(operation)).map(({ name, operation }) => `${name}: ${operation}`),
    twice: [...namesByOperation.values()].filter((each) => each.length > 1).map((each) => each.map(({ name }) => name)),
  }).toEqual({ missing: [], unknown: [], twice: [] })
})

test('sends a body with exactly the operations that take one', async () => {
  const calls = await callEveryMethod()
  expect(calls.filter(({ operation, hasBody }) => hasBody !== (operations.get(operation)?.requestBody !== undefined))).toEqual([])
})

test('exports every type that a signature names', () => {
  const read = (path: string) => readFileSync(new URL(`../src/${path}`, import.meta.url), 'utf8')
  const exported = [...read('index.ts').matchAll(/from '(@millrace\/contracts\/[^']+)'/g)].map(([, path]) => path)
  const nouns = read('client.ts').matchAll(/from '\.\/(nouns\/[^']+)'/g)
  const imported = [...nouns].flatMap(([, noun]) =>
    [...read(noun as string).matchAll(/from '(@millrace\/contracts\/[^']+)'/g)].map(([, path]) => path),
  )
  expect([...new Set(imported)].filter((path) => !exported.includes(path))).toEqual([])
})
