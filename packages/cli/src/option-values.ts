import { parseJson } from '@millrace/client/json.ts'
import { InvalidArgumentError } from 'commander'

/** A whole number of at least 0. */
export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.')
  return Number(text)
}

/** A whole number of at least 1. */
export function parsePositive(text: string): number {
  const value = parseCount(text)
  if (value === 0) throw new InvalidArgumentError('It must be at least 1.')
  return value
}

/** `KEY=VALUE`, collected into an object. A value that is JSON is read as JSON, every other one as text. */
export function collectPairs(text: string, collected: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It is not KEY=VALUE.')
  return { ...collected, [text.slice(0, at)]: parseJsonOrText(text.slice(at + 1)) }
}

/** JSON if the text is JSON, otherwise the text itself. Numbers keep their spelling: the value is user data. */
export function parseJsonOrText(text: string): unknown {
  try {
    return parseJson(text, true)
  } catch {
    return text
  }
}

/** A word of a list. */
export const collect = (text: string, collected: readonly string[] = []): string[] => [...collected, text]
