import { expect, test } from 'vitest'
import { repairEscapes } from './request-url.ts'

test.each(['/flows/name/grist', '/a%20b', '/%25', '/%C3%BC', '/a%2Fb?x=%26'])('keeps %s', (url) => {
  expect(repairEscapes(url)).toBe(url)
})

/** What the reference reads, by Python's `urllib.parse.unquote`. */
test.each([
  ['my%flow', 'my%flow'],
  ['%', '%'],
  ['%zz', '%zz'],
  ['a%2', 'a%2'],
  ['%%41', '%A'],
  ['%25zz', '%zz'],
  ['%E0%A4', '\ufffd'],
  ['%E0%A4%A', '\ufffd%A'],
  ['%41%E0%A4%42', 'A\ufffdB'],
  ['%C3%28', '\ufffd('],
  ['%ff', '\ufffd'],
  ['%ed%a0%80', '\ufffd\ufffd\ufffd'],
  ['%E0%A4%zz%20', '\ufffd%zz '],
])('reads %s as %j', (url, name) => {
  expect(decodeURIComponent(repairEscapes(url))).toBe(name)
})
