import { expect, test } from 'vitest'
import { LazyJson, rawJson } from './json.ts'
import { serializeResponse } from './serialize-response.ts'
import { splitText } from './text-pieces.ts'

const readAll = async (answer: string | AsyncIterable<string>) => (typeof answer === 'string' ? answer : (await Array.fromAsync(answer)).join(''))

test('returns a text for a small response', () => {
  expect(serializeResponse([{ a: rawJson('1.0') }, null])).toBe('[{"a":1.0},null]')
  expect(serializeResponse(undefined)).toBe('null')
  expect(serializeResponse([])).toBe('[]')
})

test('loads lazy parts one after the other while the response is read', async () => {
  const events: string[] = []
  const late = (name: string) =>
    new LazyJson(async () => {
      events.push(name)
      return [`{"late":"${name}"`, '}']
    })
  const answer = serializeResponse([{ a: late('one'), b: rawJson('1.0') }, { a: late('two') }])
  expect(events).toEqual([])
  const pieces = (answer as AsyncIterable<string>)[Symbol.asyncIterator]()
  const first = await pieces.next()
  expect(events).toEqual(['one'])
  let text = first.value as string
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) text += next.value
  expect(JSON.parse(text)).toEqual([{ a: { late: 'one' }, b: 1 }, { a: { late: 'two' } }])
})

test('streams a long response', async () => {
  const item = { a: rawJson(JSON.stringify('x'.repeat(1_000_000))) }
  const answer = serializeResponse(Array.from({ length: 40 }, () => item))
  expect(typeof answer).toBe('object')
  expect(JSON.parse(await readAll(answer))).toHaveLength(40)
})

test('serializes a response above the maximum string length item by item', async () => {
  /** Simulates an item that fits a string alone but not together with others. */
  const large = () => {
    let tries = 0
    return {
      toJSON() {
        tries += 1
        if (tries === 1) throw new RangeError('Invalid string length')
        return { large: rawJson('1.0') }
      },
    }
  }
  expect(await readAll(serializeResponse([large(), { small: 1 }, null]))).toBe('[{"large":1.0},{"small":1},null]')
  expect(await readAll(serializeResponse({ count: 1, results: [large()], none: [], left: undefined }))).toBe(
    '{"count":1,"results":[{"large":1.0}],"none":[]}',
  )
})

test('limits the length of chunks and does not split a character', async () => {
  const text = JSON.stringify(`a${'😀'.repeat(400_000)}`)
  const pieces = await Array.fromAsync(serializeResponse([new LazyJson(async () => splitText(text))]) as AsyncIterable<string>)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(65_000)
  expect(pieces.every((piece) => piece.isWellFormed())).toBe(true)
  expect(pieces.join('') === `[${text}]`).toBe(true)
})
