import { JsonSyntaxError } from '../lib/json-exact.ts'

const backslash = 0x5c

interface Oversize {
  readonly type: string
  readonly msg: string
}

/**
 * What is wrong with the measure of a JSON text: nested too deep, or too many values. Judged before it is read, because reading is what costs:
 * a million keys take a second, and looking at 16 MB in this way a fiftieth of that. Ordinary bodies have a value for every 30 bytes or more.
 */
export function oversize(text: string, depthMax: number, valuesMax: number): Oversize | undefined {
  // So few characters cannot hold too much of anything.
  if (text.length <= depthMax) return undefined
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = endOfString(text, at)
    else if (code === 0x2c) {
      values += 1
      if (values > valuesMax) return { type: 'json_too_large', msg: `JSON may hold ${valuesMax} values at most` }
    } else {
      // `[` and `{`, `]` and `}` differ in this bit alone.
      const bracket = code | 0x20
      if (bracket === 0x7b) {
        depth += 1
        if (depth > depthMax) return { type: 'json_too_deep', msg: `JSON may be nested ${depthMax} deep at most` }
      } else if (bracket === 0x7d) depth -= 1
    }
  }
  return undefined
}

/** The place of the quote that ends the string which begins at a place. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes += 1
    if (backslashes % 2 === 0) return end
  }
  throw new JsonSyntaxError('Unterminated string', from)
}
