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

const colonNext = /\s*:/y

/**
 * Whether `JSON.parse` and `JSON.stringify` give back a text as it is: it has no numbers that a double does not give back, no keys that an object would
 * put first, not the one key that is dangerous to copy, and no keys with escapes, of which V8 takes one for another: it reads `{"k":1,"\"":0}` as
 * `{"k":1,"\\":0}` when it has read that before. A walk from quote to quote: a regular expression took four times as long, a
 * twentieth of the time in which events are taken in. What is no JSON may be called plain.
 */
export function isRoundTripSafe(text: string): boolean {
  if (text.includes('__proto__')) return false
  let escaped = nextEscape(text, 0)
  let at = 0
  while (isBlank(text.charCodeAt(at))) at += 1
  // A number by itself has nothing around it that could remember its text.
  if (isNumberStart(text.charCodeAt(at))) return false
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    // Blanks first: of them there may be millions.
    if (code < quote) continue
    if (code === quote) {
      const end = endOfString(text, at)
      if (end < 0) return true
      if (escaped < at) escaped = nextEscape(text, at)
      if ((escaped < end || isIndex(text, at + 1, end)) && isKey(text, end)) return false
      at = end
    } else if (isNumberStart(code)) {
      const from = at
      // Of one that is too long the rest does not matter.
      while (at - from < safeNumberCharactersMax && isNumberCharacter(text.charCodeAt(at + 1))) at += 1
      if (!isRoundTripNumber(text, from, at + 1)) return false
    }
  }
  return true
}

/** The place of the next backslash; the end when there is none. */
function nextEscape(text: string, from: number): number {
  const found = text.indexOf('\\', from)
  return found < 0 ? text.length : found
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** Digits, `+`, `-`, `.`, `e` and `E`. */
const isNumberCharacter = (code: number): boolean =>
  isDigit(code) || code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === 0x2d

const isNumberStart = (code: number): boolean => code <= 0x39 && (code >= 0x30 || code === 0x2d)

/** So many characters of a number a double gives back, whatever they are. */
const safeNumberCharactersMax = 15

/** No more digits than a double has, no exponent, no zero at the end of a fraction, and no `-0`. */
function isRoundTripNumber(text: string, from: number, end: number): boolean {
  if (end - from > safeNumberCharactersMax) return false
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
