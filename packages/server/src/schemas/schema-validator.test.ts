import { afterEach, describe, expect, test } from 'vitest'
import { testClock } from '../../test/setup.ts'
import type { SchemaRefusal } from './refusal.ts'
import { SchemaValidator, type ValidatorLimits } from './schema-validator.ts'

const defaults: ValidatorLimits = { timeoutSeconds: 5, memoryMegabytes: 128, schemaBytes: 524_288, valueBytes: 2_097_152, queuedMax: 200 }
const clock = testClock()
const open: SchemaValidator[] = []

afterEach(async () => {
  for (const validator of open.splice(0)) await validator.close()
})

function validatorWith(limits: Partial<ValidatorLimits> = {}): SchemaValidator {
  const validator = new SchemaValidator({ ...defaults, ...limits }, clock)
  open.push(validator)
  return validator
}

const check = (validator: SchemaValidator, schema: unknown, value: unknown): Promise<SchemaRefusal | undefined> =>
  validator.validate(JSON.stringify(schema), JSON.stringify(value))

/** Backtracks practically forever. The title makes distinct schemas. */
const slowPattern = (title = '') => ({ title, properties: { a: { pattern: '^(a+)+$' } } })
const slowValue = (salt = '') => ({ a: `${'a'.repeat(60)}!`, salt })
/** Each level references the next one twice, so that there are 2^40 paths to the last. */
function doubled(): object {
  const levels = Array.from({ length: 40 }, (_, n) => [`l${n}`, { allOf: [{ $ref: `#/$defs/l${n + 1}` }, { $ref: `#/$defs/l${n + 1}` }] }])
  return { $ref: '#/$defs/l0', $defs: { ...Object.fromEntries(levels), l40: { type: 'object' } } }
}
const tooLong = { kind: 'limit', reason: expect.stringMatching(/^The schema took longer than .* s to check .*timeout_seconds/) }

describe('limits', () => {
  test.each<[string, unknown, unknown]>([
    ['a pattern with catastrophic backtracking', slowPattern(), slowValue()],
    ['a schema that doubles at each level', doubled(), {}],
    ['unique items', { uniqueItems: true }, Array.from({ length: 20_000 }, (_, n) => ({ n }))],
    ['ten thousand properties', { properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`p${n}`, { type: 'string' }])) }, {}],
  ])('rejects a check that takes too long: %s', async (_name, schema, value) => {
    const validator = validatorWith({ timeoutSeconds: 0.2 })
    expect(await check(validator, schema, value)).toMatchObject({ kind: 'limit', reason: expect.stringContaining('Simplify it') })
    expect(await check(validatorWith(), { type: 'object' }, {})).toBeUndefined()
  })

  test('continues with a new thread after a timeout', async () => {
    const validator = validatorWith({ timeoutSeconds: 1 })
    for (const salt of ['1', '2']) {
      expect(await check(validator, slowPattern(salt), slowValue())).toMatchObject(tooLong)
      expect(await check(validator, { type: 'integer' }, 'x')).toMatchObject({ kind: 'value', reason: 'must be integer' })
    }
  })

  test('rejects a schema above the memory limit and keeps serving', async () => {
    const validator = validatorWith({ timeoutSeconds: 60, memoryMegabytes: 32 })
    const anyOf = Array.from({ length: 500 }, (_, n) => ({ const: n }))
    const values = JSON.stringify({ list: Array.from({ length: 20_000 }, () => 'x') })
    const verdict = await validator.validateForm(JSON.stringify({ properties: { list: { items: { anyOf } } } }), values, [])
    expect(verdict).toEqual({ badSchema: expect.stringContaining('more than 32 MB of memory') })
    expect(await check(validator, { type: 'object' }, {})).toBeUndefined()
  })

  test('rejects too large schemas and values with the name of the setting', async () => {
    const validator = validatorWith({ schemaBytes: 100, valueBytes: 10 })
    expect(await check(validator, { title: 'é'.repeat(50) }, {})).toMatchObject({
      kind: 'limit',
      reason: expect.stringContaining('schema_limit_bytes'),
    })
    expect(await check(validator, {}, 'x'.repeat(11))).toMatchObject({ kind: 'limit', reason: expect.stringContaining('value_limit_bytes') })
  })

  test('rejects with 503 and Retry-After when too many checks are queued', async () => {
    const validator = validatorWith({ timeoutSeconds: 1, queuedMax: 2 })
    const checks = Array.from({ length: 4 }, (_, n) => check(validator, slowPattern(String(n)), slowValue()))
    await expect(checks[3]).rejects.toMatchObject({ status: 503, headers: { 'retry-after': expect.any(String) } })
    void Promise.allSettled(checks)
  })

  test('rejects queued checks when it is closed', async () => {
    const validator = validatorWith()
    const checks = Array.from({ length: 3 }, (_, n) => check(validator, slowPattern(String(n)), slowValue()))
    const settled = Promise.allSettled(checks)
    await validator.close()
    expect((await settled).map((result) => result.status === 'rejected' && result.reason.code)).toEqual(['CLOSING', 'CLOSING', 'CLOSING'])
    await expect(check(validator, {}, {})).rejects.toMatchObject({ code: 'CLOSING' })
  })
})

describe('fairness', () => {
  test('serves a new schema before slow ones that came first', async () => {
    const validator = validatorWith({ timeoutSeconds: 2 })
    const order: string[] = []
    const record = async (name: string, checked: Promise<unknown>) => {
      await checked
      order.push(name)
    }
    const bad = Array.from({ length: 8 }, (_, n) => record(`bad ${n}`, check(validator, slowPattern(String(n)), slowValue())))
    const ended = Promise.allSettled(bad)
    const good = record('good', check(validator, { type: 'object', title: 'new' }, {}))
    await good
    expect(order).toEqual(['bad 0', 'good'])
    await validator.close()
    await ended
  })

  test('serves a fast schema while a slow one occupies the open thread', async () => {
    const validator = validatorWith({ timeoutSeconds: 600, fastSeconds: 600 })
    expect(await check(validator, { type: 'object' }, {})).toBeUndefined()
    const hostile = [check(validator, slowPattern(), slowValue()), check(validator, slowPattern('2'), slowValue())]
    const ends = Promise.allSettled(hostile)
    expect(await check(validator, { type: 'object' }, { a: 1 })).toBeUndefined()
    await validator.close()
    await ends
  })

  test('rejects a slowly compiling schema without another check for a minute', async () => {
    const validator = validatorWith({ timeoutSeconds: 1 })
    const compiles = { properties: Object.fromEntries(Array.from({ length: 2500 }, (_, n) => [`p${n}`, { enum: [n, {}], pattern: `^${n}` }])) }
    const form = (values: object) => validator.validateForm(JSON.stringify(compiles), JSON.stringify(values), [])
    expect(await form({})).toEqual({ badSchema: expect.stringContaining('longer than 1 s') })
    // A closed validator has no thread, so this answer comes from the memory of rejected schemas.
    await validator.close()
    expect(await form({ a: 1 })).toEqual({ badSchema: expect.stringContaining('longer than 1 s') })
    clock.advance(61)
    await expect(form({ a: 1 })).rejects.toMatchObject({ code: 'CLOSING' })
  })

  test('rejects a slow value without another check and still accepts other values', async () => {
    const validator = validatorWith({ timeoutSeconds: 1 })
    expect(await check(validator, slowPattern(), slowValue('1'))).toMatchObject(tooLong)
    expect(await check(validator, slowPattern(), { a: 'aaa' })).toBeUndefined()
    expect(await check(validator, slowPattern(), { a: 'b' })).toMatchObject({ kind: 'value', path: 'a' })
    await validator.close()
    expect(await check(validator, slowPattern(), slowValue('1'))).toMatchObject(tooLong)
    await expect(check(validator, slowPattern(), slowValue('2'))).rejects.toMatchObject({ code: 'CLOSING' })
  })
})
