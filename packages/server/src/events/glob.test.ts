import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesGlob } from './glob.ts'
import { MatchBudget, MatchLimitExceeded, stepsPerEvent } from './match-budget.ts'

const matches = (text: string, pattern: string, steps = stepsPerEvent): boolean => matchesGlob(text, pattern, new MatchBudget(steps))

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
])('%s and %s: %s', (text, pattern, expected) => {
  expect(matches(text, pattern)).toBe(expected)
})

test('matches like a regular expression', () => {
  // Patterns of more than 32 tokens need several words for their state.
  const texts = (...characters: string[]) => fc.string({ unit: fc.constantFrom(...characters), maxLength: 80 })
  const parts: Record<string, string> = { '*': '.*', '?': '.', '.': '\\.' }
  fc.assert(
    fc.property(texts('a', 'a', 'a', 'b', '.'), texts('a', 'a', 'a', 'b', '.', '*', '*', '?'), (text, pattern) => {
      const expected = new RegExp(`^${[...pattern].map((character) => parts[character] ?? character).join('')}$`)
      // A text made of the pattern's own characters matches more often.
      for (const tried of [text, pattern.replaceAll('*', 'ab').replaceAll('?', 'b')]) expect(matches(tried, pattern)).toBe(expected.test(tried))
    }),
    { numRuns: 500 },
  )
})

test('takes at most one step for 32 characters of the pattern and one of the text', () => {
  const longest = 'a'.repeat(1_000_000)
  for (const pattern of [`${'*a'.repeat(499)}*b`, `*${'a'.repeat(998)}b`, `*${'?'.repeat(998)}b`]) expect(matches(longest, pattern)).toBe(false)
  expect(() => matches('a'.repeat(4000), `${'*a'.repeat(100)}b`, 10_000)).toThrow(MatchLimitExceeded)
})

test('matches wildcards against the first 4,000 characters', () => {
  expect(matches(`${'a'.repeat(3999)}b`, '*ab')).toBe(true)
  expect(matches(`${'a'.repeat(4000)}b`, '*ab')).toBe(false)
  expect(matches(`${'a'.repeat(5000)}b`, 'a*')).toBe(true)
})

test('refuses patterns of more than 1,000 characters', () => {
  expect(matches('a'.repeat(1000), 'a'.repeat(1000))).toBe(true)
  const reason = 'A pattern has 1001 characters; at most 1000 are matched. Shorten it.'
  expect(() => matches('a', '*'.repeat(1001))).toThrow(expect.objectContaining({ reason }))
})
