import { expect, test } from 'vitest'
import { PrefixSet } from './prefix-set.ts'

test.each<[string[], string, boolean]>([
  [[], 'a', false],
  [['a'], 'a', true],
  [['a'], 'ab', true],
  [['ab'], 'a', false],
  [['a', 'ab', 'abc'], 'abd', true],
  [['b', 'a.b', 'a.c'], 'a.ca', true],
  [['b', 'a.b', 'a.d'], 'a.ca', false],
  [['a', 'b'], 'ab', true],
  [[''], '', true],
  [['', 'x'], 'anything', true],
  [['\ud83d\ude00'], '\ud83d\ude00!', true],
])('with %j matches %j: %j', (prefixes, text, expected) => {
  expect(new PrefixSet(prefixes).matches(text)).toBe(expected)
})

test('agrees with checking each prefix', () => {
  const texts = ['', 'a', 'b', 'aa', 'ab', 'ba', 'aab', 'aba', 'abb', 'bab', 'aaaa', 'abab']
  for (let mask = 0; mask < 1 << 10; mask += 7) {
    const prefixes = texts.filter((_, index) => mask & (1 << index))
    const set = new PrefixSet(prefixes)
    for (const text of texts)
      expect([prefixes, text, set.matches(text)]).toEqual([prefixes, text, prefixes.some((prefix) => text.startsWith(prefix))])
  }
})
