import { isUnparsedInput } from '../schema-form/field-kind.ts'

const charactersMax = 5000

export function nameError(name: string): string | undefined {
  if (name.trim() === '') return 'Enter a name'
  return /^[a-z0-9_-]{1,255}$/.test(name.trim()) ? undefined : 'Use only lowercase letters, digits, _ and -'
}

/** Null is a valid value; undefined is not. */
export function valueError(value: unknown): string | undefined {
  if (isUnparsedInput(value)) return value.error
  if (value === undefined) return 'Enter a value'
  return JSON.stringify(value).length > charactersMax ? `At most ${charactersMax.toLocaleString()} characters` : undefined
}
