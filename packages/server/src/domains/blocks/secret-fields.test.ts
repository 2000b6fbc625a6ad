import { expect, test } from 'vitest'
import { composeJsonText, parseJson } from '../../lib/json.ts'
import type { JsonObject } from './json-object.ts'
import { MASK, maskSecrets, restoreSecrets, secretPaths } from './secret-fields.ts'

const maskFields = (data: JsonObject, ...secret_fields: string[]) => maskSecrets(data, secretPaths({ secret_fields }))
const restoreFields = (given: JsonObject, current: JsonObject, ...secret_fields: string[]) =>
  restoreSecrets(given, current, secretPaths({ secret_fields }))

test.each<[string, JsonObject, string, JsonObject]>([
  ['a field', { a: 'x', b: 1 }, 'a', { a: MASK, b: 1 }],
  ['whatever its type', { a: [1, 'x'] }, 'a', { a: MASK }],
  ['a field within a field', { a: { b: 'x', c: 'y' } }, 'a.b', { a: { b: MASK, c: 'y' } }],
  ['all that is in a field', { a: { b: 'x', c: { d: null } } }, 'a.*', { a: { b: MASK, c: { d: MASK } } }],
  ['all that is in an object that is secret as a whole', { a: { b: 'x' } }, 'a', { a: { b: MASK } }],
  ['a field of each item of a list', { a: [{ b: 'x' }, { b: 'y', c: 1 }] }, 'a.b', { a: [{ b: MASK }, { b: MASK, c: 1 }] }],
  ['a list below a wildcard', { a: [{ b: 'x' }] }, 'a.*.b', { a: MASK }],
  ['no secret where there is none', { a: null, b: {} }, 'a', { a: null, b: {} }],
  ['nothing where the field is missing', { b: 'x' }, 'a.b.c', { b: 'x' }],
  ['everything', { a: 'x', b: { c: 1 } }, '*', { a: MASK, b: { c: MASK } }],
])('masks %s', (_name, data, field, expected) => {
  expect(maskFields(data, field)).toEqual(expected)
})

test.each<[string, JsonObject, JsonObject, string, JsonObject]>([
  ['a secret', { a: MASK, b: 2 }, { a: 'x', b: 1 }, 'a', { a: 'x', b: 2 }],
  ['all below a field', { a: { b: MASK, c: 'new' } }, { a: { b: 'x', c: 'y' } }, 'a.*', { a: { b: 'x', c: 'new' } }],
  ['an object that was masked as one', { a: MASK }, { a: { b: 'x' } }, 'a', { a: { b: 'x' } }],
  ['items of a list', { a: [{ b: MASK }, { b: 'new' }] }, { a: [{ b: 'x' }, { b: 'y' }] }, 'a.b', { a: [{ b: 'x' }, { b: 'new' }] }],
  ['a null that was masked', { a: { b: MASK, c: { d: MASK } } }, { a: { b: null, c: { d: null } } }, 'a.*', { a: { b: null, c: { d: null } } }],
  ['nothing where null was shown', { a: MASK }, { a: null }, 'a', { a: MASK }],
  ['nothing where there was no secret', { a: { b: MASK } }, {}, 'a.*', { a: { b: MASK } }],
  ['nothing in a field that is not secret', { b: MASK }, { b: 'x' }, 'a', { b: MASK }],
])('a mask that is sent back stands for %s', (_name, given, current, field, expected) => {
  expect(restoreFields(given, current, field)).toEqual(expected)
})

test('keeps other fields as they were written', () => {
  const data = parseJson('{"a": "x", "n": {"big": 12345678901234567890, "one": 1.0}}') as JsonObject
  expect(composeJsonText(maskFields(data, 'a'))).toBe('{"a":"********","n":{"big": 12345678901234567890, "one": 1.0}}')
})
