import { expect, test } from 'vitest'
import { parseJson } from '../../lib/json.ts'
import { schemaChecksum } from './checksum.ts'
import type { JsonObject } from './json-object.ts'

const checksum = (fields: object): string => schemaChecksum(parseJson(JSON.stringify(fields)) as JsonObject)

const sample = {
  title: 'Checksum sample',
  type: 'object',
  properties: { b: { type: 'string' }, a: { type: 'number', default: 1.5 }, ü: { enum: ['é', null, true] } },
  required: ['b'],
  secret_fields: ['b'],
  block_schema_references: {},
  block_type_slug: 'checksum-sample',
}

test('equals the checksum of clients', () => {
  expect(checksum(sample)).toBe('sha256:2e885f5b01fafb52ecb6207005829da294c727634c5674de9252433b0a9f1d66')
  expect(checksum({})).toBe('sha256:f8e6e96abbc38504d4e9c99fc57281fa0026bede1fa42db79f22f984501710f4')
})

test.each([
  ['{"title": "Numbers", "a": 1.0, "b": 1e3, "c": 0.1}', '951f6f4899be6341407b78db21ef20feb79cd16f9e46b9e9140322061aacd26a'],
  ['{"title": "Numbers", "a": 1}', 'f274008ee6d4d97328d3db0bf702c0038d0707aa6887d13878ebe4b3b9ff930e'],
  ['{"title": "Numbers", "a": 1.0}', 'd3c5c9d775b77ae2aa3a1acceeb7113ea809b8112af0881f555ba20de1d821be'],
])('counts numbers as they were written: %s', (text, expected) => {
  expect(schemaChecksum(parseJson(text) as JsonObject)).toBe(`sha256:${expected}`)
})

test('ignores secret fields at any depth', () => {
  const { secret_fields: _secret, ...open } = sample
  expect(checksum({ ...open, properties: { ...open.properties, deep: { secret_fields: ['x'], a: 1 } } })).toBe(
    checksum({ ...sample, properties: { ...open.properties, deep: { a: 1 } } }),
  )
})

const withDefinitions = (definitions: object) => checksum({ properties: { kind: { $ref: '#/definitions/Kind' } }, definitions })
const Kind = { enum: ['x', 'y'], type: 'string' }

test('covers used definitions that are not blocks', () => {
  expect(withDefinitions({ Kind, Unused: {} })).toBe(withDefinitions({ Kind }))
  expect(withDefinitions({ Kind })).not.toBe(withDefinitions({ Kind: { ...Kind, enum: ['x'] } }))
  expect(withDefinitions({ Kind: { ...Kind, block_type_slug: 'kind' } })).toBe(checksum({ properties: { kind: { $ref: '#/definitions/Kind' } } }))
})

test('handles circular definitions', () => {
  const circle = { Kind: { properties: { next: { $ref: '#/definitions/Next' } } }, Next: { properties: { back: { $ref: '#/definitions/Kind' } } } }
  expect(withDefinitions(circle)).toMatch(/^sha256:[0-9a-f]{64}$/)
})
