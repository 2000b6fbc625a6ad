import { expect, test } from 'vitest'
import { parseTextSearch } from './text-search.ts'

test.each([
  ['words are alternatives', 'disk  full', { any: ['disk', 'full'] }],
  ['signs forbid and demand', '-debug !trace +disk', { none: ['debug', 'trace'], all: ['disk'] }],
  ['quotes hold words together', '"disk full" -"all good"', { any: ['disk full'], none: ['all good'] }],
  ['a quote ends a word', 'says"hello world"', { any: ['says', 'hello world'] }],
  ['a quote within quotes is escaped, and so is the backslash', String.raw`"say \"hi\" \\ \n"`, { any: [String.raw`say "hi" \ \n`] }],
  ['outside of quotes nothing is escaped', String.raw`says \"hello`, { any: ['says', '\\', 'hello'] }],
  ['a quote that is never closed reaches to the end', '"hello world', { any: ['hello world'] }],
  ['even when it ends in a backslash', '"hello\\', { any: ['hello\\'] }],
  ['a lone sign says nothing', '- a + ! -', { any: ['a'] }],
  ['two signs are a sign and a word', '--', { none: ['-'] }],
  ['a sign within a word is part of it', 'a-b', { any: ['a-b'] }],
  ['blank quotes say nothing', '"" -"  " x', { any: ['x'] }],
  ['nothing at all', '   ', {}],
])('parses a query: %s', (_name, query, expected) => {
  expect(parseTextSearch(query)).toEqual({ any: [], none: [], all: [], ...expected })
})
