import { describe, expect, test } from 'vitest'
import { type BlockData, JobTemplateChecker } from './job-template.ts'
import { SchemaChecker } from './schema-checker.ts'

const checker = new JobTemplateChecker(new SchemaChecker())
const template = (properties: object, more: object = {}) =>
  JSON.stringify({ job_configuration: { a: 1 }, variables: { type: 'object', properties, ...more } })

/** The schema of a credentials block. */
const creds = (more: object = {}) => ({
  title: 'Creds',
  type: 'object',
  block_type_slug: 'creds',
  properties: { token: { type: 'string' } },
  required: ['token'],
  ...more,
})
const asBlock = { $ref: '#/definitions/Creds' }
const reference = { $ref: { block_document_id: 'b1' } }

describe('the defaults of a template', () => {
  const check = (properties: object, more: object = {}, blocks?: BlockData) => checker.checkDefaults(template(properties, more), blocks)
  const passed = { refusal: undefined }

  test('must match their schema', () => {
    expect(check({ n: { type: 'integer', default: 'x' } })).toMatchObject({ refusal: { kind: 'value', path: 'n' } })
    expect(check({ n: { type: 'integer', default: 3 } })).toEqual(passed)
  })

  test('may be null, as many clients send them, and may be missing even if required', () => {
    expect(check({ n: { type: 'integer', default: null }, m: { type: 'string' } }, { required: ['m'] })).toEqual(passed)
  })

  test('need a valid schema', () => {
    expect(check({ n: { type: 'whole' } })).toMatchObject({ refusal: { kind: 'schema' } })
  })

  test('are validated by the data of the block they reference', () => {
    const blocks = (data: object) => ({ b1: JSON.stringify(data) })
    const properties = { k: { ...asBlock, default: reference } }
    const more = { definitions: { Creds: creds() } }
    expect(check(properties, more)).toEqual({ blocks: ['b1'] })
    expect(check(properties, more, blocks({ token: '***' }))).toEqual(passed)
    expect(check(properties, more, blocks({ bucket: 'b' }))).toMatchObject({ refusal: { kind: 'value', path: 'k' } })
  })

  test('are not validated if they reference something other than a block', () => {
    expect(check({ n: { type: 'integer', default: { $ref: 'elsewhere' } } })).toEqual(passed)
  })
})

describe('job variables', () => {
  const check = (text: string, layers: object[], partial = false, blocks?: BlockData) => {
    const texts = layers.map((layer) => JSON.stringify(layer))
    const verdict = checker.checkVariables(text, texts, partial, blocks)
    return 'refusal' in verdict ? verdict.refusal : verdict
  }

  test.each([
    ['with required fields', creds()],
    ['without required fields', creds({ required: undefined })],
  ])('accept a block inline or by reference, for a deployment and for a run: %s', (_name, definition) => {
    const text = template({ k: asBlock }, { definitions: { Creds: definition } })
    for (const partial of [true, false]) {
      expect(check(text, [{ k: { token: 'x' } }], partial)).toBeUndefined()
      expect(check(text, [{ k: reference }], partial)).toBeUndefined()
      expect(check(text, [{ k: 5 }], partial)).toMatchObject({ path: 'k' })
      expect(check(text, [{ k: { token: 5 } }], partial)).toMatchObject({ path: 'k.token' })
    }
  })

  test('accept a block inline where the default is a block', () => {
    const text = template({ k: { ...asBlock, default: reference } }, { definitions: { Creds: creds() }, required: ['k', 'm'] })
    expect(check(text, [{ k: { token: 'x' }, m: 1 }])).toEqual({ blocks: ['b1'] })
    const blocks = { b1: '{"token":"***"}' }
    expect(check(text, [{ k: { token: 'x' }, m: 1 }], false, blocks)).toBeUndefined()
    expect(check(text, [{ m: 1 }], false, blocks)).toBeUndefined()
    expect(check(text, [{}], false, blocks)).toMatchObject({ reason: expect.stringContaining("'m'") })
  })

  test('may be incomplete when a default is invalid', () => {
    const text = template({ k: { ...asBlock, default: reference } }, { definitions: { Creds: creds() }, required: ['k'] })
    expect(check(text, [{}], false, { b1: '{"token":5}' })).toBeUndefined()
    expect(check(text, [{ k: {} }], false, { b1: '{"token":5}' })).toMatchObject({ path: 'k' })
  })
})
