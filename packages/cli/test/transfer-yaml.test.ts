import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exactNumber, isEqual } from '../src/transfer/json-value.ts'
import { decodeKeys, encodeKey, encodeKeys } from '../src/transfer/key-order.ts'
import { Reference, SecretPlaceholder } from '../src/transfer/placeholders.ts'
import { readYaml } from '../src/transfer/yaml-reader.ts'
import { writeYaml } from '../src/transfer/yaml-writer.ts'

const roundTrip = (value: unknown) => {
  const text = writeYaml({ value })
  const { value: read, problems } = readYaml(text, 'x')
  expect(problems, text).toEqual([])
  return (read as { value: unknown }).value
}

/** JSON text of a value with the keys that it has outside of the process. */
const toText = (value: unknown): string => decodeKeys(JSON.stringify(value))

const awkwardTexts = [
  '',
  ' ',
  'null',
  'Null',
  '~',
  'true',
  'yes',
  'No',
  'on',
  'y',
  '1',
  '1.0',
  '-1e5',
  '0x1F',
  '0o7',
  '1_000',
  '12:30:45',
  '2026-01-31',
  '2026-01-31T08:00:00Z',
  '.inf',
  '.nan',
  '<<',
  '=',
  '- a',
  '? a',
  ': a',
  'a: b',
  'a:',
  'a #b',
  'a#b',
  '#a',
  '&a',
  '*a',
  '!a',
  '!ref deployment:a/b',
  '|',
  '>',
  '%a',
  '@a',
  '`a',
  "it's",
  '"quoted"',
  '{a: b}',
  '[a, b]',
  'a\tb',
  '\ta',
  'a ',
  ' a',
  'a\n',
  'a\n\n',
  '\na',
  'a\n\nb',
  'a\n  b\n c',
  'a\n \nb',
  'a\n\tb\n',
  '  a\nb',
  'a\r\nb',
  'a\u0000b',
  'a\u007fb',
  'a\u0085b',
  'a\u2028b',
  '\ufeffa',
  'a\ud800',
  '\udc00a',
  '\ue0001',
  '💥',
  'Grüße, 世界',
  '---',
  '---\na',
  'a\n---\nb',
  '...',
  '#!/bin/sh\nset -e\n\necho "$HOME" # home\n',
]

test.each(awkwardTexts)('keeps the text %j, as a value and as a key', (text) => {
  expect(roundTrip(text)).toBe(text)
  expect(roundTrip([text, { a: text }])).toEqual([text, { a: text }])
  expect(roundTrip({ [encodeKey(text)]: text })).toEqual({ [encodeKey(text)]: text })
})

test('keeps long texts and keys on one line', () => {
  for (const text of ['a'.repeat(2000), `${'word '.repeat(400)}end`]) {
    expect(roundTrip({ [text]: { [text]: text } })).toEqual({ [text]: { [text]: text } })
    expect(writeYaml({ a: text }).split('\n')).toHaveLength(2)
  }
})

test.each(['0', '-0', '1.0', '1.10', '1e3', '1E400', '-1.5e-7', '12345678901234567890', '0.1000000000000000055'])(
  'keeps the spelling of the number %s',
  (source) => {
    expect(toText(roundTrip([exactNumber(source)]))).toBe(`[${source}]`)
  },
)

test.each([
  ['+1', '1'],
  ['007', '7'],
  ['.5', '0.5'],
  ['1.', '1.0'],
  ['0x1F', '31'],
  ['0o17', '15'],
  ['123456789012345678901', '123456789012345678901'],
])('reads the YAML number %s as %s', (source, json) => {
  expect(JSON.stringify(readYaml(`a: ${source}`, 'x').value)).toBe(`{"a":${json}}`)
})

test('keeps any JSON', () => {
  const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.bigInt().map(String).map(exactNumber))
  const key = fc.oneof(fc.string({ unit: 'binary' }), fc.nat(20).map(String), fc.constantFrom(...awkwardTexts)).map(encodeKey)
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom('a', ' ', '\n', '\t', ':', '#', '-', '\r', '"')).map((all) => all.join('')),
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 5 }, number, text, fc.boolean(), fc.constant(null), tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 5 }),
    object: fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  }))
  fc.assert(
    fc.property(value, (given) => {
      const read = roundTrip(given)
      // Not toEqual: the order of keys counts.
      expect(toText(read)).toBe(toText(given))
      expect(isEqual(read, given) || Object.is(given, -0)).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('keeps the order of integer keys', () => {
  const text = '{"b":{"2":1,"10":[{"1":2,"a":"3:"}]},"1" : "\\"7\\":","\\u0035":0,"\ue0009":1,"01":2}'
  const parsed = JSON.parse(encodeKeys(text))
  expect(decodeKeys(JSON.stringify(parsed))).toBe('{"b":{"2":1,"10":[{"1":2,"a":"3:"}]},"1":"\\"7\\":","5":0,"\ue0009":1,"01":2}')
})

test('keeps keys beside a text of millions of characters', () => {
  const text = JSON.stringify({ a: `${'x'.repeat(5_000_000)}${'\n'.repeat(100_000)}`, b: { 1: 2 } })
  expect(decodeKeys(encodeKeys(text))).toBe(text)
})

test('writes references and secrets as tags', () => {
  const value = { a: new Reference('deployment', 'flow/a: b'), b: [new SecretPlaceholder('DB_PASSWORD'), new Reference('work-pool', 'k8s', true)] }
  expect(writeYaml(value)).toBe('a: !ref "deployment:flow/a: b"\nb:\n  - !secret DB_PASSWORD\n  - !ref "!work-pool:k8s"\n')
  expect(readYaml(writeYaml(value), 'x').value).toEqual(value)
})

test('writes block style for people', () => {
  const value = { name: 'x', tags: ['a', 'b'], empty: [{}, []], script: 'one\ntwo\n', steps: [{ run: 'a', with: { b: 1 } }, ['c', ['d']]] }
  expect(writeYaml(value)).toBe(`name: x
tags:
  - a
  - b
empty:
  - {}
  - []
script: |
  one
  two
steps:
  - run: a
    with:
      b: 1
  - - c
    - - d
`)
})

test.each([
  ['a: 1\nb: "x', 2, /closing/],
  ['a: 1\na: 2', 2, /unique/],
  ['x: 1\na: !foo 1', 2, /Unknown tag !foo/],
  ['a: !ref nothing', 1, /is no reference/],
  ['a: !secret 1 2', 1, /needs the name of an environment variable/],
  ['a: .inf', 1, /is no number of JSON/],
  ['a: &x [*x]', 1, /refers to itself/],
  ['? [a]\n: 1', 1, /key must be text/],
])('reports %j on line %i', (text, line, message) => {
  const { problems } = readYaml(text, 'x')
  expect(problems).toMatchObject([{ line, message: expect.stringMatching(message) }])
})

test('expands aliases, but not without end', () => {
  expect(readYaml('a: &x {b: 1}\nc: *x', 'x').value).toEqual({ a: { b: 1 }, c: { b: 1 } })
  const bomb = ['a0: &a0 [1, 2]', ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`)].join('\n')
  expect(readYaml(bomb, 'x').problems).toMatchObject([{ message: 'Aliases expand to more than 100000 values.' }])
})
