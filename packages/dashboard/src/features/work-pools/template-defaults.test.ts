import { expect, test } from 'vitest'
import { templateDefaults, templateVariables, withTemplateDefaults } from './template-defaults.ts'

const template = {
  job_configuration: { command: '{{ command }}', cpu: '{{ cpu }}' },
  variables: { type: 'object', properties: { command: { type: 'string' }, cpu: { type: 'integer', default: 1, title: 'CPU' } } },
}

test('changes only the defaults of a template', () => {
  expect(templateDefaults(template)).toEqual({ cpu: 1 })
  expect(withTemplateDefaults(template, { cpu: 1 })).toEqual(template)
  expect(withTemplateDefaults(template, { command: 'ls' })).toEqual({
    ...template,
    variables: { type: 'object', properties: { command: { type: 'string', default: 'ls' }, cpu: { type: 'integer', title: 'CPU' } } },
  })
})

test('leaves a template without variables unchanged', () => {
  expect(templateVariables({})).toBeNull()
  expect(templateDefaults({})).toEqual({})
  expect(withTemplateDefaults({ a: 1 }, { x: 1 })).toEqual({ a: 1 })
})
