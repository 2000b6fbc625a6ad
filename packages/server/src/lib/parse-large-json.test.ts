import { expect, test } from 'vitest'
import { isFullProof } from '../../test/proof-size.ts'
import { jsonText, parseJson } from './json.ts'
import { JsonSyntaxError } from './json-exact.ts'
import { parseReceivedJson } from './parse-large-json.ts'
import { SliceScheduler } from './slice-scheduler.ts'
import { monotonicSeconds } from './time.ts'

const limits = { depthMax: 100, valuesMax: 500_000 }
const parse = async (text: string) => parseReceivedJson(text, limits, new SliceScheduler(monotonicSeconds), async () => {})

/** Deterministic pseudo-random numbers. */
function seededNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
}

/** JSON of all kinds, with members from a few bytes to many slices. */
function generateJson(pick: (below: number) => number, depth: number): string {
  const kind = depth === 0 ? pick(6) : pick(9)
  if (kind === 0) return ['1', '-0', '1.0', '12345678901234567890', '1e5', '0.5'][pick(6)] as string
  if (kind === 1) return ['true', 'false', 'null'][pick(3)] as string
  if (kind < 5) return JSON.stringify('a"\\ü,[]{}:'.slice(pick(9)))
  if (kind === 5) return `"${'long \\" [ { , '.repeat(pick(3000))}"`
  const blanks = ' \n'.repeat(pick(3))
  const members = Array.from({ length: pick(depth === 4 ? 400 : 40) }, () => generateJson(pick, depth - 1))
  if (kind < 8) return `[${blanks}${members.join(`${blanks},`)}]`
  const keys = ['"a"', '"1"', '"\\u0041"', '"__proto__"', '"b c"']
  return `{${members.map((member, index) => `${blanks}${pick(4) === 0 ? keys[pick(keys.length)] : `"k${index}"`} :${blanks}${member}`).join(',')}}`
}

test('returns the same value and text as parsing in one go', async () => {
  let large = 0
  // Seed 1 gives 15 MB, 10 gives 35 kB, 2 a few bytes.
  for (const seed of isFullProof ? Array.from({ length: 12 }, (_, n) => n + 1) : [1, 2, 10]) {
    const text = `[${generateJson(seededNumbers(seed), 4)},${generateJson(seededNumbers(seed + 1000), 4)},"${'x'.repeat(140_000)}"]`
    if (text.length > 300_000) large += 1
    const made = await parse(text)
    const wanted = parseJson(text, Number.POSITIVE_INFINITY)
    expect(JSON.stringify(made) === JSON.stringify(wanted)).toBe(true)
    expect(jsonText(made) === text).toBe(true)
    for (const [index, part] of (made as unknown[]).entries()) {
      const same = (value: unknown) => JSON.stringify(parseJson(jsonText(value)))
      expect(same(part) === same((wanted as unknown[])[index])).toBe(true)
    }
  }
  expect(large).toBeGreaterThan(0)
})

const many = Array.from({ length: 20_000 }, (_, index) => `{"a":${index}.0}`).join(',')

test.each([
  ['a comma at the end', `[${many},]`],
  ['two commas', `[${many},,${many}]`],
  ['a comma at the beginning', `[,${many}]`],
  ['a comma after a long member', `[[${many}],]`],
  ['nothing between long members', `[[${many}][${many}]]`],
  ['something before a long member', `[1 [${many}]]`],
  ['no key', `{[${many}]}`],
  ['a key without a colon', `{"a" [${many}]}`],
  ['a value before a long member', `{"a":1 [${many}]}`],
  ['two keys', `{"a":"b":[${many}]}`],
  ['no closing bracket', `[${many}`],
  ['the wrong bracket', `[${many}}`],
  ['the wrong bracket within', `[{"a":[1}],${many}]`],
  ['more after the end', `[${many}] 1`],
  ['a word', `[${many},tru]`],
])('rejects %s', async (_name, text) => {
  await expect(parse(text)).rejects.toBeInstanceOf(JsonSyntaxError)
})

test('reports the position of an error in a large text', async () => {
  const text = `{"list":[${many}],"b":tru}`
  await expect(parse(text)).rejects.toMatchObject({ position: text.indexOf('tru') })
})

test('yields to the event loop while it parses the slowest text', async () => {
  const text = `[${Array.from({ length: 200_000 }, () => '{"a":1.0}').join(',')}]`
  let turns = 0
  let isDone = false
  const count = () => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const values: number[] = []
  await parseReceivedJson(text, limits, new SliceScheduler(monotonicSeconds), async (number) => void values.push(number))
  isDone = true
  expect(values).toEqual([400_001])
  // The text has 60 slices, and a turn of the event loop takes a few of them.
  expect(turns).toBeGreaterThan(10)
})

test('parses a small text synchronously', () => {
  expect(parseReceivedJson('{"a":1}', limits, new SliceScheduler(monotonicSeconds), async () => {})).toEqual({ a: 1 })
})
