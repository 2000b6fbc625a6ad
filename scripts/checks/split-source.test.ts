// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are samples of source text
import { describe, expect, test } from 'vitest'
import { lineOf, splitSource } from './split-source.ts'

describe('splits', () => {
  test.each([
    ['a // b', 'a', '// b'],
    ['a /* b\nc */ d', 'a \n d', '/* b\nc */'],
    [`x = 'it // is' // no`, `x =`, '// no'],
    [String.raw`x = 'it\'s' + y // z`, 'x = + y', '// z'],
    ['x = `a ${ b } c` // d', 'x = ${ b }', '// d'],
    ['x = `a ${ { k: `in ${ 1 }` }.k } c` + y', 'x = ${ { k: ${ 1 } }.k } + y', ''],
    ['x = /[/\'"`]\\/\\/ / .test(y) // z', 'x = .test(y)', '// z'],
    ['return /a/g', 'return', ''],
    ['x = a / b / c // d', 'x = a / b / c', '// d'],
    ['x = (a) / b[1] / c', 'x = (a) / b[1] / c', ''],
    ['"a" / 2 // half', '/ 2', '// half'],
    ['f(/\\(/, 1)', 'f( , 1)', ''],
    ['x = `a $ {b} ${c}$`', 'x = ${c}', ''],
  ])('%s', (text, code, comments) => {
    const squeeze = (part: string) => part.replace(/ +/g, ' ').trim()
    const seen = splitSource(text)
    expect(squeeze(seen.code)).toBe(squeeze(code))
    expect(squeeze(seen.comments)).toBe(squeeze(comments))
  })
})

test('keeps the offsets of the original in each view', () => {
  const text = "const a = 'b' // c\n/* d */ const e = `f\n${g}`\n"
  const views = splitSource(text)
  for (const view of Object.values(views)) {
    expect(view).toHaveLength(text.length)
    expect(view.split('\n')).toHaveLength(4)
  }
  expect(views.codeAndStrings.slice(10, 13)).toBe("'b'")
  expect(lineOf(text, text.indexOf('const e'))).toBe(2)
})
