import { expect, test } from 'vitest'
import { closestMatch, editDistance } from './closest-match.ts'

test.each([
  ['port', 'port', 0],
  ['port', 'prot', 1],
  ['port', 'ports', 1],
  ['host', 'most', 1],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
])('counts the edits from %s to %s: %d', (a, b, edits) => {
  expect(editDistance(a, b)).toBe(edits)
  expect(editDistance(b, a)).toBe(edits)
})

test('finds the closest word, and none if all are far', () => {
  expect(closestMatch('--prot', ['--host', '--port'])).toBe('--port')
  expect(closestMatch('--colour', ['--host', '--port'])).toBeUndefined()
})
