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

/**
 * Joins the parts of a template at once. Repeated concatenation makes a tree of short strings, which is copied piece by piece whenever
 * the text is written: for a page of 200 cached runs that took 1.1 ms.
 */
export function flatText(texts: TemplateStringsArray, ...values: readonly (string | number | boolean)[]): string {
  const parts: (string | number | boolean)[] = [texts[0] as string]
  for (let i = 0; i < values.length; i += 1) parts.push(values[i] as string, texts[i + 1] as string)
  return parts.join('')
}
