import { element } from './elements.js'

/** More than this is shown plain: a browser takes its time over a hundred thousand coloured words. */
const colouredCharactersMax = 200_000

const pieces = /("(?:[^"\\]|\\.)*")(\s*:)?|(true|false|null)|(-?\d[\d.eE+-]*)|([{}[\],])|\s+|./gs

/** JSON with lines and indents but otherwise as it came: numbers too large for JavaScript keep their digits. */
export function indented(text) {
  const made = []
  let depth = 0
  let isEmpty = false
  const line = () => made.push(`\n${'  '.repeat(depth)}`)
  for (const [piece, , colon, , , mark] of text.matchAll(pieces)) {
    if (/^\s+$/.test(piece)) continue
    if (mark === '}' || mark === ']') {
      depth -= 1
      if (!isEmpty) line()
    } else if (isEmpty) line()
    isEmpty = mark === '{' || mark === '['
    made.push(colon ? `${piece.slice(0, -colon.length)}: ` : piece)
    if (isEmpty) depth += 1
    if (mark === ',') line()
  }
  return made.join('')
}

/** The text of an answer, as JSON when it is JSON. */
export function jsonView(text, isJson) {
  const shown = isJson ? indented(text) : text
  const view = element('pre', { tabindex: '0', 'aria-label': 'Body' })
  if (!isJson || shown.length > colouredCharactersMax) view.append(shown)
  else view.append(...coloured(shown))
  return view
}

function* coloured(text) {
  for (const [piece, string, colon, word, number] of text.matchAll(pieces)) {
    if (colon) yield* [element('span', { class: 'key' }, string), colon]
    else if (string) yield element('span', { class: 'text' }, string)
    else if (word || number) yield element('span', { class: 'value' }, piece)
    else yield piece
  }
}
