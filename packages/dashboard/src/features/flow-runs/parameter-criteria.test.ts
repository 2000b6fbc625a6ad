import { expect, test } from 'vitest'
import { mergeParameterCriteria, parseParameterCriterion } from './parameter-criteria.ts'

test.each<[string, unknown]>([
  ['region=eu', 'eu'],
  ['size=1', 1],
  ['size="1"', '1'],
  ['dry=true', true],
  ['note=null', null],
  ['tables=["a","b"]', ['a', 'b']],
  ['query=a=b', 'a=b'],
  ['empty=', ''],
])('parses %s', (criterion, value) => {
  expect(parseParameterCriterion(criterion)).toEqual({ path: [criterion.split('=')[0]], value })
})

test('ignores criteria without a parameter name', () => {
  expect(['region', '=eu', ' =1'].map(parseParameterCriterion)).toEqual([undefined, undefined, undefined])
  expect(mergeParameterCriteria(['region'])).toBeUndefined()
})

test('merges dotted paths into nested objects', () => {
  expect(mergeParameterCriteria(['options.full=true', 'options.at.hour=4', 'region=eu'])).toEqual({
    options: { full: true, at: { hour: 4 } },
    region: 'eu',
  })
  expect(mergeParameterCriteria(['a=1', 'a.b=2'])).toEqual({ a: { b: 2 } })
  expect(JSON.stringify(mergeParameterCriteria(['__proto__.x=1']))).toBe('{"__proto__":{"x":1}}')
})
