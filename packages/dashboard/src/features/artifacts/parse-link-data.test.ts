import { expect, test } from 'vitest'
import { parseLinkData } from './parse-link-data.ts'

test.each([
  ['[Report](https://example.com/r?x=1)', { text: 'Report', address: 'https://example.com/r?x=1' }],
  ['[](https://example.com)', { text: 'https://example.com', address: 'https://example.com' }],
  ['https://example.com/a', { text: 'https://example.com/a', address: 'https://example.com/a' }],
  ['[Click](javascript:alert(1))', { text: 'Click', address: undefined }],
  ['just words', { text: 'just words', address: undefined }],
])('%s', (data, link) => expect(parseLinkData(data)).toEqual(link))

test('rejects data that is not text', () => expect(parseLinkData({ href: 'https://example.com' })).toBeUndefined())
