import { formatTime, type Micros } from './time.ts'

/**
 * Writers of single JSON values, for responses that are built as text. That is faster than to build objects for `JSON.stringify`, above all where texts are
 * cached.
 */

/** A text that needs no escapes, such as an id. */
export const plainText = (value: string | null): string => (value === null ? 'null' : `"${value}"`)

/** Any text. */
export const quotedText = (value: string | null): string => (value === null ? 'null' : JSON.stringify(value))

export const timeText = (value: Micros | null): string => (value === null ? 'null' : `"${formatTime(value)}"`)

/** Stored JSON, as it was sent. */
export const storedJson = (value: string | null): string => value ?? 'null'

/** Like a template literal, in one piece. */
export function flatText(texts: TemplateStringsArray, ...values: readonly (string | number | boolean)[]): string {
  let text = texts[0] as string
  for (let i = 0; i < values.length; i += 1) text += `${values[i]}${texts[i + 1]}`
  return flatten(text)
}

/**
 * Puts the parts of a concatenated text into one piece. V8 keeps a tree of short strings, which is copied piece by piece whenever the text is written: for a
 * page of 200 cached runs that took 1.1 ms. Reading a character makes one piece, in less time than joining a list of the parts.
 */
export function flatten(text: string): string {
  // V8 drops a read without use.
  if (text.charCodeAt(0) === 0) throw new Error('A text of JSON begins with a null character')
  return text
}
