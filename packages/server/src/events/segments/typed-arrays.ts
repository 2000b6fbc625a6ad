/** The same numbers with room for more, twice as many at once. */
export function growArray<T extends Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>>(numbers: T, size: number): T {
  if (size <= numbers.length) return numbers
  const more = new (numbers.constructor as new (length: number) => T)(Math.max(size, numbers.length * 2))
  more.set(numbers)
  return more
}
