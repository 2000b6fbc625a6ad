const quote = 0x22
const backslash = 0x5c

/** The place of the quote that ends the string which begins at a place; -1 when none does. */
export function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, place: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(place - 1 - backslashes) === backslash) backslashes += 1
  return backslashes % 2 === 1
}

/** A single number, which nothing holds that could remember its text. */
const isNumber = /^\s*-?\d/
const colonNext = /\s*:/y

/**
 * Whether `JSON.parse` and `JSON.stringify` give back a text as it is: it has no numbers that a double does not give back, no keys that an object would
 * put first, and not the one key that is dangerous to copy. A walk from quote to quote: a regular expression took four times as long, a
 * twentieth of the time in which events are taken in. What is no JSON may be called plain.
 */
export function isPlain(text: string): boolean {
  if (isNumber.test(text) || text.includes('__proto__')) return false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (end < 0) return true
      if (isIndex(text, at + 1, end) && isKey(text, end)) return false
      at = end
    } else if (isDigit(code) || code === 0x2d) {
      const from = at
      while (isOfNumber(text.charCodeAt(at + 1))) at += 1
      if (!isPlainNumber(text, from, at + 1)) return false
    }
  }
  return true
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** Digits, `+`, `-`, `.`, `e` and `E`. */
const isOfNumber = (code: number): boolean => isDigit(code) || code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === 0x2d

/** No more digits than a double has, no exponent, no zero at the end of a fraction, and no `-0`. */
function isPlainNumber(text: string, from: number, end: number): boolean {
  if (end - from >= 16) return false
  let hasFraction = false
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x2e) hasFraction = true
    else if (!isDigit(code) && (at > from || text.charCodeAt(at + 1) === 0x30)) return false
  }
  return !hasFraction || text.charCodeAt(end - 1) !== 0x30
}

/** Whether a key is such a number as lists have: an object puts these first. */
function isIndex(text: string, from: number, end: number): boolean {
  const length = end - from
  if (length === 0 || length > 10 || (length > 1 && text.charCodeAt(from) === 0x30)) return false
  for (let at = from; at < end; at += 1) if (!isDigit(text.charCodeAt(at))) return false
  return true
}

function isKey(text: string, end: number): boolean {
  colonNext.lastIndex = end + 1
  return colonNext.test(text)
}
