import { conflict } from '../errors.ts'

/** A change that would leave something without what it cannot be without. */
export function assertNotNull<T extends object>(change: T, ...fields: (keyof T & string)[]): void {
  const empty = fields.find((field) => change[field] === null)
  if (empty !== undefined) throw conflict(`"${empty}" cannot be null; leave it out to keep what it is`)
}
