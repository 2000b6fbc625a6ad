import { expect, test } from 'vitest'
import { UnparsedInput } from '../schema-form/field-kind.ts'
import { nameError, valueError } from './validate-variable.ts'

test('accepts the names that the server accepts', () => {
  expect(nameError('batch_size-2')).toBeUndefined()
  expect(nameError('')).toBe('Enter a name')
  expect(nameError('Batch Size')).toBe('Use only lowercase letters, digits, _ and -')
})

test('accepts any JSON value up to the length limit', () => {
  expect(valueError(null)).toBeUndefined()
  expect(valueError(undefined)).toBe('Enter a value')
  expect(valueError(new UnparsedInput('{', 'This is not JSON yet'))).toBe('This is not JSON yet')
  expect(valueError('x'.repeat(5000))).toBe('At most 5,000 characters')
})
