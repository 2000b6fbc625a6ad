import { expect, test } from 'vitest'
import { LateJson, stored } from './json.ts'
import { writeAnswer } from './write-answer.ts'

const whole = async (answer: string | AsyncIterable<string>) => (typeof answer === 'string' ? answer : (await Array.fromAsync(answer)).join(''))

test('small answers are texts', () => {
  expect(writeAnswer([{ a: stored('1.0') }, null])).toBe('[{"a":1.0},null]')
  expect(writeAnswer(undefined)).toBe('null')
  expect(writeAnswer([])).toBe('[]')
})

test('parts that are still to be fetched are fetched one after the other, as the answer is read', async () => {
  const events: string[] = []
  const late = (name: string) =>
    new LateJson(async () => {
      events.push(name)
      return `{"late":"${name}"}${' '.repeat(300_000)}`
    })
  const answer = writeAnswer([{ a: late('one'), b: stored('1.0') }, { a: late('two') }])
  expect(events).toEqual([])
  const pieces = (answer as AsyncIterable<string>)[Symbol.asyncIterator]()
  const first = await pieces.next()
  expect(events).toEqual(['one'])
  let text = first.value as string
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) text += next.value
  expect(JSON.parse(text)).toEqual([{ a: { late: 'one' }, b: 1 }, { a: { late: 'two' } }])
})

test('long answers go out in pieces', async () => {
  const item = { a: stored(JSON.stringify('x'.repeat(1_000_000))) }
  const answer = writeAnswer(Array.from({ length: 40 }, () => item))
  expect(typeof answer).toBe('object')
  expect(JSON.parse(await whole(answer))).toHaveLength(40)
})

test('an answer that is longer than a text can be is written item by item', async () => {
  /** Stands for so much that it can be written by itself, but not together with others. */
  const large = () => {
    let tries = 0
    return {
      toJSON() {
        tries += 1
        if (tries === 1) throw new RangeError('Invalid string length')
        return { large: stored('1.0') }
      },
    }
  }
  expect(await whole(writeAnswer([large(), { small: 1 }, null]))).toBe('[{"large":1.0},{"small":1},null]')
  expect(await whole(writeAnswer({ count: 1, results: [large()], none: [], left: undefined }))).toBe(
    '{"count":1,"results":[{"large":1.0}],"none":[]}',
  )
})

test('pieces are short, and cut no character in two', async () => {
  const text = JSON.stringify(`a${'😀'.repeat(400_000)}`)
  const pieces = await Array.fromAsync(writeAnswer([new LateJson(async () => text)]) as AsyncIterable<string>)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(300_000)
  expect(pieces.every((piece) => piece.isWellFormed())).toBe(true)
  expect(pieces.join('') === `[${text}]`).toBe(true)
})
