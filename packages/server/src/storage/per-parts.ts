import type { Parts } from './parts.ts'

/** Makes a thing once for each server, so that the lane sees one and the same batch whoever submits to it. */
export function perParts<T>(make: (parts: Parts) => T): (parts: Parts) => T {
  const made = new WeakMap<Parts, T>()
  return (parts) => {
    const known = made.get(parts) ?? make(parts)
    made.set(parts, known)
    return known
  }
}
