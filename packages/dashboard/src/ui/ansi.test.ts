import { expect, test } from 'vitest'
import { parseAnsi, stripAnsi } from './ansi.ts'

const spansOf = (text: string) => parseAnsi(text).map(({ text: piece, colour, bold }) => [piece, colour, bold])

test.each<[string, string, unknown[]]>([
  ['plain text', 'a < b', [['a < b', undefined, false]]],
  [
    'a colour and its end',
    '\u001b[31mred\u001b[0m rest',
    [
      ['red', 'red', false],
      [' rest', undefined, false],
    ],
  ],
  [
    'several at once',
    '\u001b[1;92mok\u001b[22m on',
    [
      ['ok', 'green', true],
      [' on', 'green', false],
    ],
  ],
  ['one of 256', '\u001b[38;5;4mblue', [['blue', 'blue', false]]],
  [
    'three numbers are passed by',
    '\u001b[38;2;1;2;3mx\u001b[39my',
    [
      ['x', undefined, false],
      ['y', undefined, false],
    ],
  ],
  [
    'movements are left out',
    'a\u001b[2Kb\u001b]0;title\u0007c',
    [
      ['a', undefined, false],
      ['b', undefined, false],
      ['c', undefined, false],
    ],
  ],
])('%s', (_name, text, spans) => {
  expect(spansOf(text)).toEqual(spans)
})

test('strips ANSI codes', () => {
  expect(stripAnsi('\u001b[1m\u001b[31mred\u001b[0m \u001b]8;;x\u001b\\link')).toBe('red link')
})
