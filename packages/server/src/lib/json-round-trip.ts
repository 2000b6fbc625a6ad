const quote = 0x22
const backslash = 0x5c

/** The index of the closing quote of the string that begins at `from`; -1 if there is none. */
export function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(index - 1 - backslashes) === backslash) backslashes += 1
  return backslashes % 2 === 1
}

const colonNext = /\s*:/y

/**
 * Whether `JSON.parse` and `JSON.stringify` return a text unaltered. It must have no numbers that a double alters, no integer keys, which an object
 * moves to the front, no `__proto__`, and no keys with escapes, which V8 confuses: it reads `{"k":1,"\"":0}` as `{"k":1,"\\":0}` if it has parsed that
 * before. Scans from quote to quote, because a regular expression took four times as long: 5 % of the time to ingest events. Invalid JSON may pass.
 */
export function isRoundTripSafe(text: string): boolean {
  if (text.includes('__proto__')) return false
  let escaped = nextEscape(text, 0)
  let at = 0
  while (isBlank(text.charCodeAt(at))) at += 1
  // A top-level number has no container to attach its text to.
  if (isNumberStart(text.charCodeAt(at))) return false
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    // Blanks first, because there may be millions.
    if (code < quote) continue
    if (code === quote) {
      const end = endOfString(text, at)
      if (end < 0) return true
      if (escaped < at) escaped = nextEscape(text, at)
      if ((escaped < end || isIndex(text, at + 1, end)) && isKey(text, end)) return false
      at = end
    } else if (isNumberStart(code)) {
      const from = at
      // The rest of an overlong number does not matter.
      while (at - from < safeNumberCharactersMax && isNumberCharacter(text.charCodeAt(at + 1))) at += 1
      if (!isRoundTripNumber(text, from, at + 1)) return false
    }
  }
  return true
}

/** The index of the next backslash, or the length of the text. */
function nextEscape(text: string, from: number): number {
  const found = text.indexOf('\\', from)
  return found < 0 ? text.length : found
}

export const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** Digits, `+`, `-`, `.`, `e` and `E`. */
const isNumberCharacter = (code: number): boolean =>
  isDigit(code) || code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === 0x2d

const isNumberStart = (code: number): boolean => code <= 0x39 && (code >= 0x30 || code === 0x2d)

/** A double preserves any number with up to this many characters. */
const safeNumberCharactersMax = 15

/** Within the digits of a double, without an exponent, without a trailing zero in the fraction, and not `-0`. */
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

/** Whether a key is an array index. Objects list these first. */
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
