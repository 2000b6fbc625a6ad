/**
 * Arrays of the binary protocol. As text, every quote of a JSON text is escaped by the driver and parsed again by the database, which took half of the time
 * of both to store an event. The driver sends a buffer in binary form.
 */
const oids = { text: 25, json: 114, uuid: 2950, int8: 20, bool: 16 } as const

const headerBytes = 20
const nullLength = -1

/** An array of texts or JSON texts. */
export function textArray(values: readonly string[], type: 'text' | 'json'): Buffer {
  let size = headerBytes
  const lengths = new Int32Array(values.length)
  for (let i = 0; i < values.length; i += 1) {
    lengths[i] = Buffer.byteLength(values[i] as string)
    size += 4 + (lengths[i] as number)
  }
  const buffer = allocate(size, type, values.length, false)
  let at = headerBytes
  for (let i = 0; i < values.length; i += 1) {
    at = buffer.writeInt32BE(lengths[i] as number, at)
    at += buffer.write(values[i] as string, at)
  }
  return buffer
}

/** An array of UUIDs in canonical form. */
export function uuidArray(values: readonly (string | null)[]): Buffer {
  const buffer = allocate(headerBytes + values.reduce((size, value) => size + (value === null ? 4 : 20), 0), 'uuid', values.length, true)
  let at = headerBytes
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? nullLength : 16, at)
    if (value !== null) at += buffer.write(value.replaceAll('-', ''), at, 'hex')
  }
  return buffer
}

/** An array of integers below 2⁵³. */
export function intArray(values: readonly number[]): Buffer {
  const buffer = allocate(headerBytes + values.length * 12, 'int8', values.length, false)
  let at = headerBytes
  for (const value of values) {
    at = buffer.writeInt32BE(8, at)
    at = buffer.writeBigInt64BE(BigInt(value), at)
  }
  return buffer
}

export function boolArray(values: readonly boolean[]): Buffer {
  const buffer = allocate(headerBytes + values.length * 5, 'bool', values.length, false)
  let at = headerBytes
  for (const value of values) {
    at = buffer.writeInt32BE(1, at)
    at = buffer.writeUInt8(value ? 1 : 0, at)
  }
  return buffer
}

/** One dimension with the lower bound 1. */
function allocate(size: number, type: keyof typeof oids, length: number, mayHaveNulls: boolean): Buffer {
  const buffer = Buffer.allocUnsafe(size)
  buffer.writeInt32BE(1, 0)
  buffer.writeInt32BE(mayHaveNulls ? 1 : 0, 4)
  buffer.writeInt32BE(oids[type], 8)
  buffer.writeInt32BE(length, 12)
  buffer.writeInt32BE(1, 16)
  return buffer
}
