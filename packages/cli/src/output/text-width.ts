/** Control characters in names and messages could move the cursor or change the terminal; direction marks could reorder its text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g

const lineBreaks = /\s*[\r\n]+\s*/g

/** A text for one line of a terminal. */
export const toSingleLine = (text: string): string => text.replaceAll(lineBreaks, ' ').replaceAll(controlCharacters, '\ufffd')

/** A name in a message: `"etl"`. */
export const quoted = (name: string): string => `"${toSingleLine(name)}"`

/** A text for several lines of a terminal. */
export const toSafeText = (text: string): string =>
  text.replaceAll(controlCharacters, (found) => (found === '\n' || found === '\t' ? found : '\ufffd'))

/** The control characters and direction marks that JSON leaves as they are. A text has no other place for them than in quotes. */
const unescapedByJson = /[\u007f-\u009f\u200e\u200f\u061c\u2028-\u202e\u2066-\u2069]/g

export const isEscaped = (text: string): boolean => text.search(unescapedByJson) >= 0

/** Escapes them in JSON, also in YAML whose texts with such characters are in double quotes. */
export const escapeControlCharacters = (text: string): string =>
  text.replaceAll(unescapedByJson, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)

const zeroWidth = /^(?:\p{Mn}|\p{Me}|\u200b|\u200c|\u200d)$/u
const doubleWidth =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])$/u
const plainText = /^[\x20-\x7e]*$/

/** Columns that a text takes on a terminal. */
export function textWidth(text: string): number {
  if (plainText.test(text)) return text.length
  let width = 0
  for (const character of text) width += characterWidth(character)
  return width
}

const characterWidth = (character: string): number => (zeroWidth.test(character) ? 0 : doubleWidth.test(character) ? 2 : 1)

/** Shortens a text to a width, with an ellipsis at its end. */
export function truncate(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let shortened = ''
  let used = 1
  for (const character of text) {
    used += characterWidth(character)
    if (used > width) break
    shortened += character
  }
  return width > 0 ? `${shortened}…` : ''
}

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - textWidth(text)))
export const padStart = (text: string, width: number): string => ' '.repeat(Math.max(0, width - textWidth(text))) + text
