import { expect, test } from 'vitest'
import { isSafeImageUrl, isSafeLinkUrl } from './safe-url.ts'

test.each([
  ['https://example.com/a?b=1#c', true],
  ['HTTP://EXAMPLE.COM', true],
  ['mailto:ada@example.com', true],
  ['javascript:alert(1)', false],
  ['JaVaScRiPt:alert(1)', false],
  [' java\nscript:alert(1)', false],
  ['\u0001javascript:alert(1)', false],
  ['data:text/html,<script>alert(1)</script>', false],
  ['vbscript:msgbox(1)', false],
  ['//example.com', false],
  ['/runs', false],
  ['https://', false],
  ['', false],
])('%j as a link: %s', (address, safe) => expect(isSafeLinkUrl(address)).toBe(safe))

test.each([
  ['https://example.com/a.png', true],
  ['data:image/png;base64,iVBORw0KGgo=', true],
  ['data:image/svg+xml,<svg/>', true],
  ['data:text/html,hello', false],
  ['data:image/png', false],
  ['javascript:alert(1)', false],
  ['blob:https://example.com/1', false],
])('%j as a picture: %s', (address, safe) => expect(isSafeImageUrl(address)).toBe(safe))
