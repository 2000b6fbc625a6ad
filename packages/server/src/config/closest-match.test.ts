import { expect, test } from 'vitest'
import { closestMatch, editDistance } from './closest-match.ts'

test.each([
  ['port', 'port', 0],
  ['port', 'prot', 1],
  ['port', 'ports', 1],
  ['host', 'most', 1],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
])('%s to %s takes %d edits', (a, b, edits) => {
  expect(editDistance(a, b)).toBe(edits)
  expect(editDistance(b, a)).toBe(edits)
})

test('the nearest word is found, and none when all are far', () => {
  expect(closestMatch('--prot', ['--host', '--port'])).toBe('--port')
  expect(closestMatch('--colour', ['--host', '--port'])).toBeUndefined()
})
