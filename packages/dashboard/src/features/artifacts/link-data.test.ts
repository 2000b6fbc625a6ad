import { expect, test } from 'vitest'
import { linkData } from './link-data.ts'

test.each([
  ['[Report](https://example.com/r?x=1)', { text: 'Report', address: 'https://example.com/r?x=1' }],
  ['[](https://example.com)', { text: 'https://example.com', address: 'https://example.com' }],
  ['https://example.com/a', { text: 'https://example.com/a', address: 'https://example.com/a' }],
  ['[Click](javascript:alert(1))', { text: 'Click', address: undefined }],
  ['just words', { text: 'just words', address: undefined }],
])('%s', (data, link) => expect(linkData(data)).toEqual(link))

test('what is no text is no link', () => expect(linkData({ href: 'https://example.com' })).toBeUndefined())
