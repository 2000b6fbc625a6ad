import type { SqlValue } from '../connection.ts'
import type { ColumnKind } from '../tables.ts'

type Element = string | number | boolean | Uint8Array | null
type Encoder = (values: readonly Element[]) => SqlValue

/** The parameter with the values of one column of several rows. JSON and text are sent in binary, because escaping them is slow on both sides. */
export const arrayParameter = (kind: ColumnKind, values: readonly Element[]): SqlValue => (encoders[kind] ?? encodeText)(values)

function encodeText(values: readonly Element[]): string {
  let text = '{'
  for (let index = 0; index < values.length; index += 1) {
    if (index > 0) text += ','
    text += values[index] ?? 'NULL'
  }
  return `${text}}`
}

const headerBytes = 20

function writeHeader(buffer: Buffer, oid: number, values: readonly Element[]): void {
  // One dimension, whether there are nulls, the type, the number of elements, and the index of the first.
  buffer.writeInt32BE(1, 0)
  buffer.writeInt32BE(values.includes(null) ? 1 : 0, 4)
  buffer.writeInt32BE(oid, 8)
  buffer.writeInt32BE(values.length, 12)
  buffer.writeInt32BE(1, 16)
}

/** Each element with its length; -1 is null. The version of the binary format of jsonb is a byte before each element. */
function textEncoder(oid: number, prefix?: number): Encoder {
  const prefixBytes = prefix === undefined ? 0 : 1
  return (values) => {
    const elements = values as readonly (string | Uint8Array | null)[]
    let size = headerBytes
    for (const value of elements) size += 4 + (value === null ? 0 : prefixBytes + byteLength(value))
    const buffer = Buffer.allocUnsafe(size)
    writeHeader(buffer, oid, values)
    let at = headerBytes
    for (const value of elements) {
      if (value === null) {
        at = buffer.writeInt32BE(-1, at)
        continue
      }
      let end = at + 4
      if (prefix !== undefined) end = buffer.writeUInt8(prefix, end)
      end += typeof value === 'string' ? buffer.write(value, end) : writeBytes(buffer, value, end)
      buffer.writeInt32BE(end - at - 4, at)
      at = end
    }
    return buffer
  }
}

const int8Oid = 20
const int8Bytes = 8

/** Parsing text takes PostgreSQL longer than reading bytes. What is no integer is left to it to reject. */
function encodeIntegers(values: readonly Element[]): SqlValue {
  if (!values.every((value) => value === null || Number.isSafeInteger(value))) return encodeText(values)
  const buffer = Buffer.allocUnsafe(headerBytes + values.length * (4 + int8Bytes))
  writeHeader(buffer, int8Oid, values)
  let at = headerBytes
  for (const value of values as readonly (number | null)[]) {
    if (value === null) {
      at = buffer.writeInt32BE(-1, at)
      continue
    }
    at = buffer.writeInt32BE(int8Bytes, at)
    at = buffer.writeInt32BE(Math.floor(value / 2 ** 32), at)
    at = buffer.writeUInt32BE(value >>> 0, at)
  }
  return buffer.subarray(0, at)
}

const encoders: Partial<Record<ColumnKind, Encoder>> = {
  text: textEncoder(25),
  bytes: textEncoder(17),
  json: textEncoder(114),
  tags: textEncoder(3802, 1),
  int: encodeIntegers,
}

const byteLength = (value: string | Uint8Array): number => (typeof value === 'string' ? Buffer.byteLength(value) : value.length)

function writeBytes(buffer: Buffer, bytes: Uint8Array, at: number): number {
  buffer.set(bytes, at)
  return bytes.length
}
