import { JsonSyntaxError } from '../lib/json-exact.ts'
import { endOfString } from '../lib/json-plain.ts'

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
    // Blanks first: of them there may be millions.
    if (code < 0x22) continue
    if (code === 0x22) {
      const end = endOfString(text, at)
      if (end < 0) throw new JsonSyntaxError('Unterminated string', at)
      at = end
    } else if (code === 0x2c) {
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
