import { expect, test } from 'vitest'
import { Unfinished } from '../schema-form/field-kind.ts'
import { nameFault, valueFault } from './variable-faults.ts'

test('names are those that the server takes', () => {
  expect(nameFault('batch_size-2')).toBeUndefined()
  expect(nameFault('')).toBe('It needs a name')
  expect(nameFault('Batch Size')).toBe('Small letters, digits, _ and - only')
})

test('any JSON is a value, of a certain length', () => {
  expect(valueFault(null)).toBeUndefined()
  expect(valueFault(undefined)).toBe('It needs a value')
  expect(valueFault(new Unfinished('{', 'This is not JSON yet'))).toBe('This is not JSON yet')
  expect(valueFault('x'.repeat(5000))).toBe('At most 5,000 characters')
})
