import { expect, test } from 'vitest'
import { parseLinkData } from './parse-link-data.ts'

test.each([
  ['[Report](https://example.com/r?x=1)', { text: 'Report', url: 'https://example.com/r?x=1' }],
  ['[](https://example.com)', { text: 'https://example.com', url: 'https://example.com' }],
  ['https://example.com/a', { text: 'https://example.com/a', url: 'https://example.com/a' }],
  ['[Click](javascript:alert(1))', { text: 'Click', url: undefined }],
  ['just words', { text: 'just words', url: undefined }],
])('%s', (data, link) => expect(parseLinkData(data)).toEqual(link))

test('rejects data that is not text', () => expect(parseLinkData({ href: 'https://example.com' })).toBeUndefined())
