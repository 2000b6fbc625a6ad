import { expect, test } from 'vitest'
import { listMaskedSecrets, loadSnippet, referenceTo, secretMask, splitIntoSections, toFormValues, webUrl, withSecretMasks } from './block-fields.ts'

const fields = {
  type: 'object',
  properties: {
    bucket: { type: 'string', position: 0 },
    credentials: { position: 1 },
    folder: { type: 'string', position: 2 },
    token: { type: 'string', format: 'password', position: 3 },
  },
  required: ['bucket', 'token'],
  block_schema_references: { credentials: [{ block_type_slug: 'a' }, { block_type_slug: 'b' }] },
}

test('splits the form at nested blocks and keeps the order of fields', () => {
  const sections = splitIntoSections(fields)
  expect(sections.map(({ schema, reference }) => reference?.name ?? Object.keys(schema?.properties ?? {}))).toEqual([
    ['bucket'],
    'credentials',
    ['folder', 'token'],
  ])
  expect(sections[1]?.reference?.slugs).toEqual(['a', 'b'])
  expect(sections[2]?.schema?.required).toEqual(['token'])
})

test('does not require a secret that is stored', () => {
  expect(splitIntoSections(fields, ['token'])[2]?.schema).toMatchObject({
    required: [],
    properties: { token: { description: expect.stringMatching(/^Leave empty to keep/) } },
  })
})

test('hides masks in the form and sends them back for unchanged secrets', () => {
  const document = {
    data: { bucket: 'x', token: secretMask, login: { password: secretMask } },
    block_document_references: { credentials: { block_document: { id: '1' } } },
  }
  const masked = listMaskedSecrets(document)
  expect(masked).toEqual(['token'])
  const values = toFormValues(document)
  expect(values).toEqual({ bucket: 'x', login: { password: secretMask }, credentials: referenceTo('1') })
  expect(withSecretMasks(values, masked)).toEqual({ ...values, token: secretMask })
  expect(withSecretMasks({ ...values, token: 'new' }, masked)).toEqual({ ...values, token: 'new' })
})

test('quotes names in snippets and links only web URLs', () => {
  expect(loadSnippet('secret', 'a"b')).toContain('Block.load("secret/a\\"b")')
  expect(webUrl('https://example.com')).toBe('https://example.com')
  expect(webUrl('javascript:alert(1)')).toBeUndefined()
  expect(webUrl(null)).toBeUndefined()
})
