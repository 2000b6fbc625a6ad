import { expect, test } from 'vitest'
import { matchesGlob } from './glob.ts'

test.each<[string, string, boolean]>([
  ['fruit', 'fruit', true],
  ['fruit', 'Fruit', false],
  ['fruit', 'f*', true],
  ['fruit', '*t', true],
  ['fruit', 'f*i*', true],
  ['fruit', 'f?uit', true],
  ['fruit', '?', false],
  ['', '*', true],
  ['', '', true],
  ['', '?', false],
  ['a*b', 'a*b', true],
  ['50%', '50%', true],
  ['[ab]', '[ab]', true],
  ['a', '[ab]', false],
  ['abcabc', '*abc', true],
  ['abcab', '*abc', false],
  ['aaa', '***', true],
])('%s and %s: %s', (text, pattern, matches) => {
  expect(matchesGlob(text, pattern)).toBe(matches)
})

test('matches any pattern in bounded time', { timeout: 1000 }, () => {
  expect(matchesGlob('a'.repeat(5000), `${'*a'.repeat(100)}b`)).toBe(false)
})
