import { conflict } from '../errors.ts'

/** Rejects null for fields that must have a value. */
export function assertNotNull<T extends object>(change: T, ...fields: (keyof T & string)[]): void {
  const nullField = fields.find((field) => change[field] === null)
  if (nullField !== undefined) throw conflict(`"${nullField}" cannot be null. Omit the field to leave it unchanged.`)
}
