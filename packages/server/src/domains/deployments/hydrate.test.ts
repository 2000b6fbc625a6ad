import { expect, test } from 'vitest'
import { hydrateText } from './hydrate.ts'

const context = {
  variables: new Map([
    ['plain', '"text"'],
    ['big', '{"n":12345678901234567890}'],
  ]),
  render: (template: string) => `<${template}>`,
}
const from = (value: unknown) => hydrateText(JSON.stringify(value), context)
const kind = (name: string, more: object = {}) => ({ __prefect_kind: name, ...more })

test('keeps parameters without placeholders unchanged', () => {
  expect(hydrateText('{ "a": 1.0 }', context)).toBe('{ "a": 1.0 }')
})

test.each([
  ['JSON in a text', { a: kind('json', { value: '{"b": [1.0, true]}' }) }, '{"a":{"b": [1.0, true]}}'],
  ['JSON that is none yet is left out', { a: kind('json'), list: [kind('json'), 1] }, '{"list":[1]}'],
  ['a value that is no text stands for itself', { a: kind('json', { value: [1, 2] }) }, '{"a":[1,2]}'],
  ['a variable', { a: [kind('workspace_variable', { variable_name: 'plain' })] }, '{"a":["text"]}'],
  ['a variable comes as it was stored', { a: kind('workspace_variable', { variable_name: 'big' }) }, '{"a":{"n":12345678901234567890}}'],
  ['a name out of JSON', { a: kind('workspace_variable', { variable_name: kind('json', { value: '"plain"' }) }) }, '{"a":"text"}'],
  ['a variable without a name is left out', { a: kind('workspace_variable') }, '{}'],
  ['a template', { a: kind('jinja', { template: 'hi' }) }, '{"a":"<hi>"}'],
  ['no kind at all, but placeholders within', { a: kind('none', { value: { b: kind('json', { value: '1' }) } }) }, '{"a":{"b":1}}'],
  ['an unknown kind stands for its value', { a: kind('later', { value: 5 }), b: kind('later') }, '{"a":5,"b":null}'],
  ['the whole is a placeholder that is not filled in', kind('json'), '{}'],
])('%s', (_name, value, text) => {
  expect(from(value)).toBe(text)
})

test.each([
  ['broken JSON', kind('json', { value: '{broken' }), /Invalid JSON/],
  ['no such variable', kind('workspace_variable', { variable_name: 'nobody' }), /"nobody" does not exist/],
  ['a missing template', kind('jinja'), /missing "template"/],
  ['a missing value', kind('none'), /missing "value"/],
])('rejects %s', (_name, value, reason) => {
  expect(() => from({ a: value })).toThrow(reason)
})
