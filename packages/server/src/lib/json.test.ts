import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { composeJsonText, JsonTooDeep, jsonText, mergeJsonObjects, parseJson, rawJson, writeJson } from './json.ts'
import { ExactNumber, JsonSyntaxError } from './json-exact.ts'

describe('parseJson and jsonText', () => {
  test.each([
    ['a big integer', '{"n":12345678901234567890}'],
    ['a decimal that ends in zero', '{"n":1.0,"m":[2.50]}'],
    ['an exponent', '[1e5,1E-7,-0,-0.0]'],
    ['keys that look like indexes', '{"b":1,"10":2,"2":3,"a":{"1":1,"0":2}}'],
    ['a key given twice', '{"10":1,"a":1,"a":2}'],
    ['a dangerous key', '{"__proto__":{"x":1}}'],
    ['escapes and lone surrogates', '{"x":"\\u0000 \\ud800 \\u00e9"}'],
    ['a number by itself', '1.0'],
    ['plain values', '{"a":[1,2.5,null,true,"text"],"b":{}}'],
  ])('return the text unaltered: %s', (_name, text) => {
    expect(JSON.parse(jsonText(parseJson(text)))).toEqual(JSON.parse(text))
    if (!text.includes('\\u')) expect(jsonText(parseJson(text))).toBe(text)
  })

  test('keep the text of a part of a body', () => {
    const body = parseJson('{"name":"x","parameters":{"10":1,"2":1.0},"limit":5}') as { parameters: object; limit: number }
    expect(jsonText(body.parameters)).toBe('{"10":1,"2":1.0}')
    expect(body.limit).toBe(5)
  })

  test('distinguish keys with escapes', () => {
    const [one, other] = [
      { k: 1, '\\': 0 },
      { k: 1, '"': 0 },
    ]
    for (const value of [one, other, one]) expect(Object.keys(parseJson(JSON.stringify(value)) as object)).toEqual(Object.keys(value))
  })

  test('agree with JSON.parse on any JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const value = parseJson(text)
        expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(text))
      }),
    )
  })

  test('do not change a prototype', () => {
    parseJson('{"__proto__":{"polluted":true},"n":1.0}')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('parseJson', () => {
  test.each([
    ['{"name": ', 9],
    ['{', 1],
    ['[1,]', 3],
    ['{"a" 1}', 5],
    ['nul', 0],
    ['{"a":1}x', 7],
    ['"open', 0],
    ['01', 1],
    ['NaN', 0],
  ])('rejects %s with the position', (text, position) => {
    const read = () => parseJson(text)
    expect(read).toThrow(JsonSyntaxError)
    try {
      read()
    } catch (error) {
      expect((error as JsonSyntaxError).position).toBe(position)
    }
  })

  test('limits the nesting', () => {
    expect(() => parseJson('['.repeat(101) + ']'.repeat(101))).toThrow(JsonTooDeep)
    expect(() => parseJson(`${'['.repeat(100)}${']'.repeat(100)}`)).not.toThrow()
    expect(() => parseJson('['.repeat(100_000))).toThrow(JsonTooDeep)
    expect(parseJson(`"${'['.repeat(1000)}"`)).toBe('['.repeat(1000))
  })
})

test('writes stored JSON into a response unaltered', () => {
  const answer = { a: rawJson('{"10":1,"2":1.0}'), b: [rawJson('[1]'), rawJson(null), 'x'], c: 1 }
  expect(writeJson(answer)).toBe('{"a":{"10":1,"2":1.0},"b":[[1],null,"x"],"c":1}')
  expect(writeJson(undefined)).toBe('null')
  expect(writeJson([1])).toBe('[1]')
})

test('exposes the value of an exact number', () => {
  const [number] = parseJson('[1.0]') as [ExactNumber]
  expect(number).toBeInstanceOf(ExactNumber)
  expect(number.value).toBe(1)
})

test.each([
  ['{}', '{"a":1}', '{"a":1}'],
  ['{"a": 1.0}', '{}', '{"a": 1.0}'],
  ['{"a":1,"b":2}', '{"b":3,"c":4}', '{"a":1,"b":3,"c":4}'],
  ['{"big":12345678901234567890,"z":1}', '{"one":1.0,"z":{"deep":[1.50]}}', '{"big":12345678901234567890,"z":{"deep":[1.50]},"one":1.0}'],
  ['{"__proto__":1}', '{"a":2}', '{"__proto__":1,"a":2}'],
])('merges %s with %s', (under, over, merged) => {
  expect(mergeJsonObjects(under, over)).toBe(merged)
})

test('writes parts of a parsed value as they were sent', () => {
  const read = parseJson('{"list":[1.0, 2],"text":"é\\u0000","none":null}') as Record<string, unknown>
  expect(composeJsonText({ kept: read.list, also: [read.text, read.none, true] })).toBe('{"kept":[1.0, 2],"also":["é\\u0000",null,true]}')
})
