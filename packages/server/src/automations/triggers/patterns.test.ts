import { describe, expect, test } from 'vitest'
import { MatchBudget } from '../../events/match-budget.ts'
import { matchesName, matchesValue } from './patterns.ts'

describe('event names', () => {
  test.each([
    ['a.b', 'a.b', true],
    ['a.b', 'a.bc', false],
    ['A.b', 'a.b', false],
    ['a.*', 'a.b.c', true],
    ['a.*', 'a.', false],
    ['a.b*', 'a.b', false],
    ['a.*.z', 'a.b.c.z', true],
    ['a.*.z', 'a..z', false],
    ['*', 'a', true],
    ['*.z', 'x.z', true],
    ['a.?', 'a.b', false],
    ['a.?', 'a.?', true],
    ['a.[bc]', 'a.b', false],
    ['!a', 'b', false],
  ])('%s, %s: %s', (pattern, name, holds) => {
    expect(matchesName(name, pattern, new MatchBudget(1000))).toBe(holds)
  })
})

describe('label values', () => {
  test.each([
    ['good', 'good', true],
    ['go*', 'go', true],
    ['g??d', 'good', true],
    ['!good', 'good', false],
    ['!good', 'bad', true],
    ['[gf]ood', 'food', true],
    ['[gf]ood', 'wood', false],
    ['[!gf]ood', 'wood', true],
    ['![gf]ood', 'food', false],
    ['run-[0-9]', 'run-7', true],
    ['run-[0-9]', 'run-x', false],
    ['*[0-9]?', 'step 12', true],
    ['a[]b]c', 'a]c', true],
    ['a[b', 'a[b', true],
    ['a[b', 'ab', false],
    ['[a-]x', '-x', true],
    ['[é✓]', '✓', true],
  ])('%s, %s: %s', (pattern, value, holds) => {
    expect(matchesValue(value, pattern, new MatchBudget(1000))).toBe(holds)
  })
})
