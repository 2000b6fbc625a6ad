import { describe, expect, test } from 'vitest'
import type { InvalidRequest } from '../../errors.ts'
import { validateTemplate } from './base-job-template.ts'

const template = (job_configuration: object, properties: object = {}, more: object = {}) => ({
  job_configuration,
  variables: { type: 'object', properties, ...more },
})

/** The message of the error; its location is the template. */
function refusal(check: () => void): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    expect((error as InvalidRequest).faults.map(({ loc }) => loc)).toEqual([['body', 'base_job_template']])
    return (error as InvalidRequest).faults[0]?.msg
  }
}

describe('a base job template', () => {
  test('may be empty', () => {
    expect(refusal(() => validateTemplate({}))).toBeUndefined()
  })

  test.each([
    [{ job_configuration: { a: 1 } }],
    [{ variables: {} }],
    [{ job_configuration: {}, variables: { properties: {} } }],
    [{ job_configuration: 'x', variables: [1] }],
  ])('has both parts or none: %j', (half) => {
    expect(refusal(() => validateTemplate(half))).toContain('must have')
  })

  test('declares every variable that it uses, at any depth', () => {
    const deep = { command: '{{ command }} --region {{region}}', env: { list: [{ name: '{{ env.HOME }}' }], '{{ key }}': 1 } }
    expect(refusal(() => validateTemplate(template(deep, { command: {} })))).toMatch(/: region, env.HOME, key$/)
    expect(refusal(() => validateTemplate(template(deep, { command: {}, region: {}, 'env.HOME': {}, key: {} })))).toBeUndefined()
  })

  test('does not accept an inherited property as a variable', () => {
    expect(refusal(() => validateTemplate(template({ a: '{{ constructor }}' })))).toContain('constructor')
  })
})
